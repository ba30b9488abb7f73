// SPDX-License-Identifier: Apache-2.0
//
// The indexer of sparse attention: its sizes, and which layers have one, use the choice of an
// earlier one, or attend to all keys. Source: huggingface/transformers,
// configuration_glm_moe_dsa.py and configuration_minimax_m3_vl.py.
#include <algorithm>
#include <array>
#include <string>

#include "model/hf_facts.h"

namespace orrery {
namespace {

void drop_indexer(HfFacts& f) {
  for (std::string_view key :
       {"index_n_heads", "index_head_dim", "index_topk", "index_block_size"}) {
    f.drop(key);
  }
}

bool is_list(const HfFacts& f, std::string_view key) {
  const auto value = f.find(key);
  return value && value->json().is_array();
}

// One item a layer; more of them belong to token prediction.
std::vector<Reader> items(const HfFacts& f, std::string_view key, std::size_t layers) {
  std::vector<Reader> all = f.find(key)->items();
  if (all.size() < layers) {
    f.refuse(key, std::to_string(all.size()) + " layers",
             "num_hidden_layers, which is " + std::to_string(layers));
  }
  return all;
}

bool is_sparse(const Reader& word) {
  return word.json().is_string() && word.text().find("sparse") != std::string::npos;
}

// Sets the mixer of the layers that attend, where `is` holds of their index.
template <class F>
void change(std::vector<LayerKind>& kinds, Mixer to, const F& is) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].mixer == Mixer::attention && is(i)) kinds[i].mixer = to;
  }
}

// By the words of layer_types, or MiniMax-M3's list of numbers; its code has no other default.
void see_all_keys(const HfFacts& f, std::vector<LayerKind>& kinds, bool worded) {
  if (worded) {
    const auto words = items(f, "layer_types", kinds.size());
    change(kinds, Mixer::all_keys, [&](std::size_t i) { return !is_sparse(words[i]); });
  } else if (is_list(f, "sparse_attention_freq")) {
    const auto marks = items(f, "sparse_attention_freq", kinds.size());
    change(kinds, Mixer::all_keys, [&](std::size_t i) { return marks[i].integer(0, 1) == 0; });
  } else if (f.flag("chooses_blocks")) {
    change(kinds, Mixer::all_keys, [](auto) { return true; });
  }
}

// By a list of words, by letters, or by a period after the first layers (GLM-5.2).
void share_choices(const HfFacts& f, std::vector<LayerKind>& kinds) {
  if (is_list(f, "indexer_types")) {
    const auto words = items(f, "indexer_types", kinds.size());
    constexpr std::array<std::string_view, 2> kWords = {"full", "shared"};
    return change(kinds, Mixer::chosen_keys,
                  [&](std::size_t i) { return words[i].choice(kWords) == 1; });
  }
  const std::string letters = f.text("index_topk_pattern");
  if (!letters.empty()) {
    return change(kinds, Mixer::chosen_keys,
                  [&](std::size_t i) { return i < letters.size() && letters[i] == 'S'; });
  }
  const std::int64_t every = std::max<std::int64_t>(1, f.whole("index_topk_freq", 1));
  const std::int64_t first = f.whole("index_skip_topk_offset", 2) - 1;
  change(kinds, Mixer::chosen_keys, [=](std::size_t i) {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - first) % every != 0;
  });
}

}  // namespace

// DeepSeek-V4's is listed as not modelled.
void translate_indexer(HfFacts& f) {
  if (f.has("compress_ratios") || !f.flag("use_sparse_attention", true) ||
      f.whole("index_n_heads") == 0)
    return drop_indexer(f);
  if (f.flag("chooses_blocks")) {
    f.set("index_topk", f.needed("index_topk_blocks") * f.needed("index_block_size"));
  } else if (!f.has("kv_lora_rank")) {
    f.refuse("index_n_heads", "it without kv_lora_rank",
             "both, or a family whose indexer is known");
  }
}

void choose_keys(HfFacts& f, std::vector<LayerKind>& kinds) {
  const auto words =
      is_list(f, "layer_types") ? f.find("layer_types")->items() : std::vector<Reader>{};
  const bool worded = std::any_of(words.begin(), words.end(), is_sparse);
  if (worded && !f.has("index_n_heads")) {
    f.refuse("layer_types", "sparse attention", "index_n_heads beside it, for its indexer");
  }
  if (!f.has("index_n_heads")) return;
  see_all_keys(f, kinds, worded);
  share_choices(f, kinds);
  const auto sees_all = [](const LayerKind& k) { return k.mixer == Mixer::all_keys; };
  if (!std::all_of(kinds.begin(), kinds.end(), sees_all)) return;
  drop_indexer(f);
  for (LayerKind& kind : kinds) kind.mixer = Mixer::attention;
}

}  // namespace orrery
