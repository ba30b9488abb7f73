// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "model/architecture_keys.h"
#include "model/hf_facts.h"

namespace orrery {
namespace {

void set_heads(HfFacts& f, std::int64_t heads, std::int64_t width) {
  for (std::string_view key : {"linear_num_key_heads", "linear_num_value_heads"}) {
    f.set(key, heads);
  }
  for (std::string_view key : {"linear_key_head_dim", "linear_value_head_dim"}) f.set(key, width);
}

// Every channel is a head of width 1.
void set_channels(HfFacts& f, std::int64_t channels) {
  f.set("linear_num_value_heads", channels);
  f.set("linear_value_head_dim", 1);
  f.set("linear_num_key_heads", 1);
}

void translate_mamba(HfFacts& f) {
  const std::int64_t hidden = f.needed("hidden_size");
  set_channels(f, f.whole("linear_num_value_heads", hidden * f.whole("mamba_expand", 2)));
  const auto rank = f.find("linear_rank");
  if (!rank || rank->json().is_string()) f.set("linear_rank", (hidden + 15) / 16);
}

void translate_mamba2(HfFacts& f) {
  const std::int64_t heads = f.needed("linear_num_value_heads");
  const auto width = f.find("linear_value_head_dim");
  const std::int64_t expanded = f.needed("hidden_size") * f.whole("mamba_expand", 2);
  const std::int64_t inner = f.whole("mamba_d_ssm", expanded);
  if (!width || width->json().is_string()) f.set("linear_value_head_dim", inner / heads);
}

// RG-LRU's gates are products within as many blocks of channels as there are heads.
void translate_rg_lru(HfFacts& f) {
  const std::int64_t width = f.whole("linear_num_value_heads", f.needed("hidden_size"));
  const std::int64_t heads = f.needed("num_attention_heads");
  if (width % heads != 0) {
    f.refuse("linear_num_value_heads", std::to_string(width),
             "a multiple of the heads, " + std::to_string(heads));
  }
  set_channels(f, width);
  f.set("linear_key_head_dim", 1);
  f.set("linear_rank", width / heads);
}

void translate_kimi(HfFacts& f) {
  const std::int64_t width = f.needed("linear_value_head_dim");
  set_heads(f, f.needed("linear_num_value_heads"), width);
  if (!f.flag("use_full_rank_gate")) f.set("linear_rank", width);
}

// A model without attention: its heads are those of its recurrence.
void name_heads(HfFacts& f) {
  if (f.has("num_attention_heads")) return;
  f.set("num_attention_heads", f.values["linear_num_value_heads"]);
  f.set("head_dim", f.values["linear_value_head_dim"]);
}

}  // namespace

void translate_recurrent(HfFacts& f) {
  const auto named = f.find("recurrent");
  if (!named) return;
  const auto kind = named->choice<RecurrentKind>();
  switch (kind) {
    case RecurrentKind::none:
    case RecurrentKind::gated_delta:
      break;
    case RecurrentKind::mamba:
      translate_mamba(f);
      break;
    case RecurrentKind::mamba2:
      translate_mamba2(f);
      break;
    case RecurrentKind::kimi_delta:
      translate_kimi(f);
      break;
    case RecurrentKind::lightning:
      set_heads(f, f.needed("num_attention_heads"), f.needed("head_dim"));
      break;
    case RecurrentKind::rg_lru:
      translate_rg_lru(f);
      break;
    case RecurrentKind::short_conv:
      set_channels(f, f.needed("hidden_size"));
      f.set("linear_key_head_dim", 1);
      break;
  }
  name_heads(f);
}

}  // namespace orrery
