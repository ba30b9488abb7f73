// SPDX-License-Identifier: Apache-2.0
#include "model/architecture_fields.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostLayers = 100'000;
constexpr std::int64_t kMostHeads = 100'000;
constexpr std::int64_t kMostExperts = 1'000'000;
constexpr std::int64_t kWidest = 100'000'000;  // hidden, intermediate, heads, ranks
constexpr std::int64_t kMostTokens = 1'000'000'000;

using A = Architecture;

constexpr CountField kCounts[] = {{"num_hidden_layers", [](A& a) -> auto& {return a.layers;
}  // namespace
, 1, kMostLayers
}  // namespace orrery
, {"hidden_size", [](A& a) -> auto& {return a.hidden;
}
, 1, kWidest
}
, {"num_attention_heads", [](A& a) -> auto& {return a.heads;
}
, 1, kMostHeads
}
, {"num_key_value_heads", [](A& a) -> auto& {return a.kv_heads;
}
, 1, kMostHeads
}
, {"head_dim", [](A& a) -> auto& {return a.head_dim;
}
, 1, kWidest
}
, {"intermediate_size", [](A& a) -> auto& {return a.intermediate;
}
, 1, kWidest
}
, {"vocab_size", [](A& a) -> auto& {return a.vocab;
}
, 1, kMostTokens
}
, {"max_position_embeddings", [](A& a) -> auto& {return a.max_positions;
}
, 1, kMostTokens
}
, {"q_lora_rank", [](A& a) -> auto& {return a.mla.q_lora_rank;
}
, 1, kWidest
}
, {"kv_lora_rank", [](A& a) -> auto& {return a.mla.kv_lora_rank;
}
, 1, kWidest
}
, {"qk_nope_head_dim", [](A& a) -> auto& {return a.mla.qk_nope_head_dim;
}
, 1, kWidest
}
, {"qk_rope_head_dim", [](A& a) -> auto& {return a.mla.qk_rope_head_dim;
}
, 1, kWidest
}
, {"v_head_dim", [](A& a) -> auto& {return a.mla.v_head_dim;
}
, 1, kWidest
}
, {"sliding_window", [](A& a) -> auto& {return a.sliding_window;
}
, 1, kMostTokens
}
, {"attention_chunk_size", [](A& a) -> auto& {return a.attention_chunk_size;
}
, 1, kMostTokens
}
, {"sliding_window_pattern", [](A& a) -> auto& {return a.sliding_window_pattern;
}
, 1, kMostLayers
}
, {"num_local_experts", [](A& a) -> auto& {return a.moe.experts;
}
, 1, kMostExperts
}
, {"num_experts_per_tok", [](A& a) -> auto& {return a.moe.top_k;
}
, 1, kMostExperts
}
, {"moe_intermediate_size", [](A& a) -> auto& {return a.moe.expert_intermediate;
}
, 1, kWidest
}
, {"n_shared_experts", [](A& a) -> auto& {return a.moe.shared_experts;
}
, 0, kMostExperts
}
, {"moe_shared_expert_intermediate_size", [](A& a) -> auto& {return a.moe.shared_intermediate;
}
, 1, kWidest
}
, {"first_k_dense_replace", [](A& a) -> auto& {return a.moe.first_k_dense;
}
, 0, kMostLayers
}
, {"moe_layer_freq", [](A& a) -> auto& {return a.moe.layer_freq;
}
, 1, kMostLayers
}
, {"moe_layer_offset", [](A& a) -> auto& {return a.moe.layer_offset;
}
, 0, kMostLayers
}
, {"num_nextn_predict_layers", [](A& a) -> auto& {return a.mtp_layers;
}
, 0, kMostLayers
}
,
}
;

constexpr FlagField kFlags[] = {{"attention_bias", [](A& a) -> auto& {return a.qkv_bias;
}
}
, {"attention_output_bias", [](A& a) -> auto& {return a.attention_out_bias;
}
}
, {"mlp_bias", [](A& a) -> auto& {return a.mlp_bias;
}
}
, {"qk_norm", [](A& a) -> auto& {return a.qk_norm;
}
}
, {"attention_sinks", [](A& a) -> auto& {return a.attention_sinks;
}
}
, {"router_bias", [](A& a) -> auto& {return a.moe.router_bias;
}
}
, {"router_correction_bias", [](A& a) -> auto& {return a.moe.router_correction_bias;
}
}
, {"embedding_norm", [](A& a) -> auto& {return a.embedding_norm;
}
}
, {"use_parallel_residual", [](A& a) -> auto& {return a.parallel_residual;
}
}
, {"tie_word_embeddings", [](A& a) -> auto& {return a.tie_word_embeddings;
}
}
,
}
;

}  // namespace

std::span<const CountField> count_fields() { return kCounts; }
std::span<const FlagField> flag_fields() { return kFlags; }

}  // namespace orrery
