// SPDX-License-Identifier: Apache-2.0
//
// Defaults of the keys that a model file leaves out; the table is in model/architecture_json.h.
#include <algorithm>
#include <string>

#include "core/json.h"
#include "model/architecture_keys.h"
#include "model/model_draft.h"

namespace orrery {
namespace {

void require(const ModelDraft& draft, std::string_view key) {
  if (!draft.has(key)) draft.refuse(key, "nothing", "this key is required");
}

const HiddenAct& act_of(const Architecture& a) {
  for (const HiddenAct& act : kHiddenActs) {
    if (act.activation == a.activation && act.gated == a.gated) return act;
  }
  return kHiddenActs.front();
}

void default_norm_and_positions(ModelDraft& draft, const HiddenAct& act, const std::string& why) {
  Architecture& a = draft.model.architecture;
  if (!draft.has("norm")) {
    a.norm = act.norm;
    draft.assume("norm", std::string(name_of(a.norm)), why);
  }
  if (!draft.has("position_embedding")) {
    a.positions = act.positions;
    draft.assume("position_embedding", std::string(name_of(a.positions)), why);
  }
}

void default_biases(ModelDraft& draft, const HiddenAct& act, const std::string& why) {
  Architecture& a = draft.model.architecture;
  const bool all_given = draft.has("attention_bias") && draft.has("mlp_bias");
  if (!draft.has("bias") && !all_given) {
    if (!draft.has("attention_bias")) a.qkv_bias = act.bias;
    if (!draft.has("mlp_bias")) a.mlp_bias = act.bias;
    draft.assume("bias", act.bias, why);
  }
  if (!draft.has("attention_output_bias")) a.attention_out_bias = a.qkv_bias;
}

void default_by_act(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  if (!draft.has("hidden_act")) draft.assume("hidden_act", "gelu", "a GPT");
  const HiddenAct& act = act_of(a);
  const std::string why = "usual with hidden_act " + std::string(act.name);
  default_norm_and_positions(draft, act, why);
  default_biases(draft, act, why);
  if (!draft.has("tie_word_embeddings")) {
    a.tie_word_embeddings = act.tie_word_embeddings;
    draft.assume("tie_word_embeddings", a.tie_word_embeddings, why);
  }
  if (!draft.has("dropout")) {
    a.dropout = a.norm == Norm::kLayerNorm && a.positions == PositionEmbedding::kLearned;
    draft.assume("dropout", a.dropout, "LayerNorm with learned positions has it, others do not");
  }
}

void default_grouped_query(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  if (draft.has("head_dim")) return;
  if (a.hidden % a.heads != 0) {
    draft.refuse("head_dim", "nothing",
                 "a number, since " + draft.names.of("hidden_size") + " " +
                     std::to_string(a.hidden) + " is no multiple of " +
                     draft.names.of("num_attention_heads") + " " + std::to_string(a.heads));
  }
  a.head_dim = a.hidden / a.heads;
  draft.assume("head_dim", a.head_dim, "hidden_size / num_attention_heads");
}

// In published files head_dim is the width of one part or of both; queries and keys have both.
void default_latent(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  for (std::string_view key : {"qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
    require(draft, key);
  }
  a.attention = AttentionKind::kLatent;
  const std::int64_t whole = a.mla.qk_nope_head_dim + a.mla.qk_rope_head_dim;
  const bool known = a.head_dim == whole || a.head_dim == a.mla.qk_nope_head_dim ||
                     a.head_dim == a.mla.qk_rope_head_dim || a.head_dim == a.mla.v_head_dim;
  if (draft.has("head_dim") && !known) {
    draft.refuse("head_dim", std::to_string(a.head_dim),
                 "qk_nope_head_dim + qk_rope_head_dim = " + std::to_string(whole));
  }
  a.head_dim = whole;
}

void default_attention(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  const bool latent = draft.has("kv_lora_rank");
  if (!draft.has("num_key_value_heads")) {
    a.kv_heads = a.heads;
    if (!latent) draft.assume("num_key_value_heads", a.kv_heads, "num_attention_heads");
  }
  if (latent) {
    default_latent(draft);
  } else {
    default_grouped_query(draft);
  }
}

void default_shared_experts(ModelDraft& draft) {
  MixtureOfExperts& moe = draft.model.architecture.moe;
  if (draft.has("moe_shared_expert_intermediate_size")) {
    if (!draft.has("n_shared_experts")) moe.shared_experts = 1;
  } else {
    moe.shared_intermediate = moe.shared_experts * moe.expert_intermediate;
  }
}

void default_experts(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  if (!draft.has("num_local_experts")) return;
  require(draft, "num_experts_per_tok");
  if (!draft.has("moe_layer_freq")) a.moe.layer_freq = 1;
  if (!draft.has("moe_intermediate_size")) {
    if (!draft.has("intermediate_size")) require(draft, "moe_intermediate_size");
    a.moe.expert_intermediate = a.intermediate;
    draft.assume("moe_intermediate_size", a.intermediate, "intermediate_size");
  }
  default_shared_experts(draft);
}

bool has_dense_layer(const Architecture& a) {
  const LayerPattern& p = a.pattern;
  if (p.length > 0) {
    return std::any_of(p.types.begin(), p.types.begin() + p.length, [&](std::uint8_t type) {
      const LayerKind& kind = p.kinds[type];
      return kind.feedforward == Feedforward::dense || shares_block(kind.mixer);
    });
  }
  return !is_moe(a) || a.moe.first_k_dense > 0 || a.moe.layer_freq > 1;
}

void default_intermediate(ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  if (!has_dense_layer(a)) {
    a.intermediate = 0;
    return;
  }
  if (draft.has("intermediate_size")) return;
  if (a.gated) require(draft, "intermediate_size");
  a.intermediate = 4 * a.hidden;
  draft.assume("intermediate_size", a.intermediate, "4 × hidden_size");
}

}  // namespace

void apply_defaults(ModelDraft& draft) {
  for (std::string_view key :
       {"num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"}) {
    require(draft, key);
  }
  default_by_act(draft);
  default_attention(draft);
  default_experts(draft);
  default_intermediate(draft);
}

}  // namespace orrery
