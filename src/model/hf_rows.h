// SPDX-License-Identifier: Apache-2.0
//
// Values that many rows of families fix or default to (model/hf_families.h).
#pragma once

#include <string_view>

namespace orrery::hf_rows {

inline constexpr std::string_view kDecoder =
    R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true, "mlp_bias": false)";
inline constexpr std::string_view kGpt =
    R"("norm": "layernorm", "position_embedding": "learned", "gated": false,
       "attention_bias": true, "mlp_bias": true)";
inline constexpr std::string_view kEncoder =
    R"("norm": "layernorm", "position_embedding": "learned", "gated": false,
       "attention_bias": true, "mlp_bias": true, "mixers": "encoder")";

// Shared by several rows.
inline constexpr std::string_view kQkvBias =
    R"("attention_bias": true, "attention_output_bias": false, "window_switch": true)";
inline constexpr std::string_view kNoBias = R"("attention_bias": false)";
inline constexpr std::string_view kExpertWidth = R"("intermediate_size": "moe_intermediate_size")";
inline constexpr std::string_view kDeltaNet =
    R"("attention_output_bias": false, "qk_norm": true, "attention_gate": true,
       "recurrent": "gated_delta", "linear_chunk_size": 64, "linear_gated_norm": true,
       "shared_expert_gate": true)";
// Encoder and decoder of BART and its like; `position_tables` counts only with learned positions.
inline constexpr std::string_view kStackNames =
    R"("num_hidden_layers": "", "encoder_layers": "num_hidden_layers",
       "decoder_layers": "num_decoder_layers", "encoder_attention_heads": "num_attention_heads",
       "encoder_ffn_dim": "intermediate_size", "decoder_attention_heads": "decoder_heads",
       "decoder_ffn_dim": "decoder_width")";
inline constexpr std::string_view kStackLengths = "lengths of input and target that differ";
inline constexpr std::string_view kDeepseek =
    R"("num_attention_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
       "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
       "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3,
       "moe_intermediate_size": 2048, "intermediate_size": 18432, "num_hidden_layers": 61,
       "vocab_size": 129280, "max_position_embeddings": 4096, "attention_bias": false,
       "tie_word_embeddings": false)";

}  // namespace orrery::hf_rows
