// SPDX-License-Identifier: Apache-2.0
//
// Conditions between the sizes of a model, so that the rest of the program can rely on them.
#include <algorithm>
#include <string>

#include "core/units.h"
#include "model/model_draft.h"

namespace orrery {
namespace {

// 2^53: beyond it a total is no longer an exact integer in JSON.
constexpr double kMostParameters = 9007199254740992.0;

std::string text(std::int64_t n) { return std::to_string(n); }

// A key that has a meaning only beside another one.
void needs(const ModelDraft& draft, std::string_view key, std::string_view other) {
  if (draft.has(key) && !draft.has(other)) {
    draft.refuse(key, "it without " + draft.names.of(other), "both or neither");
  }
}

void must_divide(const ModelDraft& draft, std::string_view key, std::int64_t n,
                 std::string_view other, std::int64_t of) {
  if (of % n == 0) return;
  draft.refuse(key, text(n), "a divisor of " + draft.names.of(other) + ", which is " + text(of));
}

void check_attention(const ModelDraft& draft) {
  const Architecture& a = draft.model.architecture;
  for (std::string_view key : {"qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
    needs(draft, key, "kv_lora_rank");
  }
  needs(draft, "o_lora_rank", "o_groups");
  needs(draft, "o_groups", "o_lora_rank");
  if (a.output_groups > 0) {
    must_divide(draft, "o_groups", a.output_groups, "num_attention_heads", a.heads);
  }
  must_divide(draft, "num_key_value_heads", a.kv_heads, "num_attention_heads", a.heads);
  if (a.attention != AttentionKind::kLatent) return;
  if (a.kv_heads != a.heads) {
    draft.refuse("num_key_value_heads", text(a.kv_heads),
                 text(a.heads) + ", as many as heads, with kv_lora_rank");
  }
  if (a.qk_norm) draft.refuse("qk_norm", "true with kv_lora_rank", "false");
}

void check_local_attention(const ModelDraft& draft) {
  if (draft.has("sliding_window") && draft.has("attention_chunk_size")) {
    draft.refuse("attention_chunk_size", "it beside sliding_window", "one of the two");
  }
  if (!has_local_attention(draft.model.architecture)) {
    needs(draft, "sliding_window_pattern", "sliding_window");
  }
}

void check_experts(const ModelDraft& draft) {
  const MixtureOfExperts& moe = draft.model.architecture.moe;
  for (std::string_view key :
       {"num_experts_per_tok", "moe_intermediate_size", "n_shared_experts",
        "moe_shared_expert_intermediate_size", "first_k_dense_replace", "moe_layer_freq",
        "moe_layer_offset", "moe_expert_capacity_factor", "router_bias", "router_correction_bias",
        "moe_latent_size", "shared_expert_gate", "n_group", "topk_group"}) {
    needs(draft, key, "num_local_experts");
  }
  needs(draft, "topk_group", "n_group");
  needs(draft, "moe_pad_expert_input_to_capacity", "moe_expert_capacity_factor");
  if (moe.groups > 0) must_divide(draft, "n_group", moe.groups, "num_local_experts", moe.experts);
  if (moe.top_groups > moe.groups) {
    draft.refuse("topk_group", text(moe.top_groups),
                 "at most n_group, which is " + text(moe.groups));
  }
  if (moe.top_k > moe.experts) {
    draft.refuse(
        "num_experts_per_tok", text(moe.top_k),
        "at most " + draft.names.of("num_local_experts") + ", which is " + text(moe.experts));
  }
  if (draft.has("moe_shared_expert_intermediate_size") && moe.shared_experts == 0) {
    draft.refuse("n_shared_experts", "0 with moe_shared_expert_intermediate_size", "at least 1");
  }
}

void check_expert_layers(const ModelDraft& draft) {
  const Architecture& a = draft.model.architecture;
  if (!is_moe(a)) return;
  if (a.moe.layer_offset >= a.moe.layer_freq) {
    draft.refuse("moe_layer_offset", text(a.moe.layer_offset),
                 "less than moe_layer_freq, which is " + text(a.moe.layer_freq));
  }
  for (std::int64_t layer = 0; layer < a.layers; ++layer) {
    if (has_experts(a, layer)) return;
  }
  draft.refuse(draft.has("first_k_dense_replace") ? "first_k_dense_replace" : "moe_layer_freq",
               "no layer with experts", "at least one of " + text(a.layers) + " layers");
}

// Checks that the keys which the kinds of a pattern need are given.
void check_pattern(const ModelDraft& draft) {
  const Architecture& a = draft.model.architecture;
  if (a.pattern.length == 0) return;
  if (a.pattern.length > a.layers) {
    draft.refuse("layer_pattern", text(a.pattern.length) + " layers",
                 "at most num_hidden_layers, which is " + text(a.layers));
  }
  for (const LayerKind& kind : a.pattern.kinds) {
    const bool local = is_local(kind.mixer);
    if (recurs(kind.mixer)) needs(draft, "layer_pattern", "recurrent");
    if (shares_block(kind.mixer) && a.attention == AttentionKind::kLatent) {
      draft.refuse("layer_pattern", "a shared block of latent attention", "no kv_lora_rank");
    }
    if (local && !has_local_attention(a)) needs(draft, "layer_pattern", "sliding_window");
    if (!has_indexer(kind.mixer)) needs(draft, "layer_pattern", "index_n_heads");
    if (kind.feedforward == Feedforward::experts) {
      needs(draft, "layer_pattern", "num_local_experts");
    }
  }
}

// Keys are chosen before a layer uses the choice again.
void check_choices(const ModelDraft& draft) {
  const Architecture& a = draft.model.architecture;
  for (std::int64_t i = 0; i < a.pattern.length; ++i) {
    const Mixer mixer = layer_kind(a, layer_type(a, i)).mixer;
    if (mixer == Mixer::attention) return;
    if (mixer == Mixer::chosen_keys) {
      draft.refuse("layer_pattern", "chosen_keys in layer " + text(i),
                   "attention, whose indexer chooses them, in an earlier layer");
    }
  }
}

void check_recurrent(const ModelDraft& draft) {
  const Recurrent& r = draft.model.architecture.recurrent;
  if (r.kind == RecurrentKind::none) return;
  for (std::string_view key : {"linear_num_key_heads", "linear_key_head_dim",
                               "linear_num_value_heads", "linear_value_head_dim"}) {
    needs(draft, "recurrent", key);
  }
  const bool by_channel = r.kind == RecurrentKind::mamba || r.kind == RecurrentKind::rg_lru;
  const bool chunked = !by_channel && r.kind != RecurrentKind::short_conv;
  if (chunked) needs(draft, "recurrent", "linear_chunk_size");
  if (by_channel) needs(draft, "recurrent", "linear_rank");
  must_divide(draft, "linear_num_key_heads", r.key_heads, "linear_num_value_heads", r.value_heads);
}

void check_indexer(const ModelDraft& draft) {
  for (std::string_view key : {"index_head_dim", "index_topk"}) {
    needs(draft, "index_n_heads", key);
    needs(draft, key, "index_n_heads");
  }
  needs(draft, "index_block_size", "index_n_heads");
}

// An upper bound of the true count: every layer is taken as the largest kind.
double tower_at_most(const Tower& t, double hidden) {
  const auto h = static_cast<double>(t.hidden);
  const auto widest =
      static_cast<double>(std::max({t.projector_input, t.projector_inner, t.projector_second}));
  return static_cast<double>(t.layers) * (6 * h * h + 4 * h * static_cast<double>(t.intermediate)) +
         h * static_cast<double>(t.patch + t.positions + 4) +
         static_cast<double>(t.deeper_projectors + 1) * (widest + 1) * (2 * widest + hidden + 3);
}

double parameters_at_most(const Architecture& a) {
  const auto h = static_cast<double>(a.hidden);
  const auto heads = static_cast<double>(a.heads);
  const auto head = static_cast<double>(std::max(a.head_dim, value_head_dim(a)));
  const auto ranks = static_cast<double>(a.mla.q_lora_rank + a.mla.kv_lora_rank + a.shared_rank);
  const auto shared = static_cast<double>(a.moe.shared_intermediate + a.intermediate);
  const auto routed =
      static_cast<double>(a.moe.experts) * (static_cast<double>(a.moe.expert_intermediate) + 2);
  const Recurrent& r = a.recurrent;
  const double state = static_cast<double>(r.key_heads) * static_cast<double>(r.key_head_dim) +
                       static_cast<double>(r.value_heads) *
                           static_cast<double>(r.value_head_dim + r.key_head_dim + 3);
  const double recurrent = 6 * (h + static_cast<double>(r.rank + r.conv_kernel)) * state;
  const double index = static_cast<double>(a.indexer.heads + 1) *
                       static_cast<double>(a.indexer.head_dim + 1) * (h + ranks);
  const double attention = 6 * heads * head * (h + 2 * ranks + 2) + 4 * h * (ranks + 1);
  const double mlp = 3 * (h + static_cast<double>(a.shared_rank) + 2) * (shared + routed + 2);
  const double table_width = std::max(h, static_cast<double>(a.embedding_size));
  const double tables =
      3 * table_width * static_cast<double>(a.vocab + a.max_positions + a.token_types + a.hidden);
  return static_cast<double>(a.layers + a.mtp_layers) *
             (attention + recurrent + index + mlp + 4 * h * h) +
         tables + tower_at_most(a.tower, h);
}

void check_tower(const ModelDraft& draft) {
  const Tower& t = draft.model.architecture.tower;
  for (std::string_view key :
       {"vision_hidden_size", "vision_num_attention_heads", "vision_intermediate_size",
        "vision_patch_values", "vision_projector_input"}) {
    needs(draft, "vision_num_hidden_layers", key);
    needs(draft, key, "vision_num_hidden_layers");
  }
  if (t.layers > 0) {
    must_divide(draft, "vision_num_attention_heads", t.heads, "vision_hidden_size", t.hidden);
  }
}

void check_size(const ModelDraft& draft) {
  const double most = parameters_at_most(draft.model.architecture);
  if (most > kMostParameters) {
    draft.refuse("hidden_size", "a model of about " + shortest(most) + " parameters",
                 "at most " + shortest(kMostParameters));
  }
}

}  // namespace

void check(const ModelDraft& draft) {
  check_attention(draft);
  check_local_attention(draft);
  check_experts(draft);
  check_expert_layers(draft);
  check_pattern(draft);
  check_recurrent(draft);
  check_indexer(draft);
  check_choices(draft);
  check_tower(draft);
  check_size(draft);
}

}  // namespace orrery
