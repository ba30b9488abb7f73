// SPDX-License-Identifier: Apache-2.0
#include "model/hf_families.h"

#include "model/hf_rows.h"
#include "model/hf_words.h"

namespace orrery {
namespace {

using namespace hf_rows;

constexpr HfFamily kFamilies[] = {
    // --- llama and its like
    {"llama code_llama aquila", "LlamaConfig",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true)", "",
     R"("vocab_size": 32000, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "max_position_embeddings": 2048, "width_of_part": 4096,
        "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false)"},
    {"Yi yi xverse skywork", "", kDecoder, kNoBias, R"("tie_word_embeddings": false)"},
    {"baichuan", "", kDecoder, kNoBias, R"("tie_word_embeddings": false)"},
    {"exaone", "", kDecoder, kNoBias, R"("tie_word_embeddings": false)"},
    {"internlm2 internlm3 internlm", "", kDecoder, "",
     R"("bias": false, "tie_word_embeddings": false)"},
    {"mimo", "", kDecoder, R"("attention_output_bias": false, "window_switch": true)",
     R"("attention_bias": true, "tie_word_embeddings": false)"},
    {"orion", "", R"("norm": "layernorm", "position_embedding": "rope", "gated": true)",
     R"("attention_bias": false, "mlp_bias": false)", R"("tie_word_embeddings": false)"},
    {"seed_oss", "SeedOssConfig", kDecoder, "",
     R"("vocab_size": 155136, "intermediate_size": 27648, "num_hidden_layers": 64,
        "num_attention_heads": 80, "num_key_value_heads": 8, "head_dim": 128,
        "attention_bias": true, "attention_output_bias": false, "tie_word_embeddings": false)"},
    {"smollm3", "SmolLM3Config",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true)", "",
     R"("vocab_size": 128256, "intermediate_size": 11008, "num_hidden_layers": 36,
        "num_attention_heads": 16, "num_key_value_heads": 4, "tie_word_embeddings": true,
        "attention_bias": false, "mlp_bias": false)"},
    {"arcee", "ArceeConfig", R"("norm": "rmsnorm", "position_embedding": "rope", "gated": false)",
     "",
     R"("hidden_act": "relu2", "tie_word_embeddings": false, "attention_bias": false,
        "mlp_bias": false)"},
    {"helium", "HeliumConfig", kDecoder, R"("attention_output_bias": false)",
     R"("tie_word_embeddings": false, "attention_bias": false)"},
    {"granite", "GraniteConfig",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true)", "",
     R"("vocab_size": 32000, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "tie_word_embeddings": false, "attention_bias": false,
        "mlp_bias": false)"},
    {"minicpm", "", kDecoder, kNoBias, R"("tie_word_embeddings": true)"},
    {"minicpm3", "", kDecoder, R"("attention_bias": false, "values_as_hidden": true)",
     R"("tie_word_embeddings": true)"},
    // nanochat's norms have no weights; the queries' and keys' neither, and are left out.
    {"nanochat", "NanoChatConfig",
     R"("norm": "layernorm_bare", "position_embedding": "rope", "gated": false)", "",
     R"("hidden_act": "relu2", "attention_bias": false, "mlp_bias": false,
        "tie_word_embeddings": false)",
     "", "norms of queries and keys, which have no weights"},
    {"apertus", "ApertusConfig",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": false, "mlp_bias": false)",
     R"("qk_norm": true, "activation_weights": 2)",
     R"("vocab_size": 131072, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "hidden_act": "xielu", "tie_word_embeddings": false,
        "attention_bias": false)",
     R"("post_norm": "not_modelled")"},
    {"ernie4_5", "Ernie4_5Config",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true)", "",
     R"("vocab_size": 103424, "num_hidden_layers": 18, "num_attention_heads": 16,
        "num_key_value_heads": 2, "intermediate_size": 3072, "head_dim": 128,
        "tie_word_embeddings": true, "bias": false)"},
    {"ernie4_5_moe", "Ernie4_5_MoeConfig",
     R"("norm": "rmsnorm", "position_embedding": "rope", "gated": true)",
     R"("router_correction_bias": true)",
     R"("vocab_size": 103424, "intermediate_size": 12288, "moe_intermediate_size": 1536,
        "num_hidden_layers": 28, "num_attention_heads": 20, "num_key_value_heads": 4,
        "num_experts_per_tok": 6, "n_shared_experts": 2, "moe_layer_start_index": 1,
        "tie_word_embeddings": true, "bias": false)"},

    // --- mistral
    {"mistral voxtral_text", "MistralConfig", kDecoder, kNoBias,
     R"("vocab_size": 32000, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072,
        "sliding_window": 4096, "width_of_part": 4096, "tie_word_embeddings": false)"},
    {"ministral ministral3", "MinistralConfig", kDecoder, kNoBias,
     R"("tie_word_embeddings": false)"},
    {"mixtral", "MixtralConfig", kDecoder, kNoBias,
     R"("vocab_size": 32000, "moe_intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072,
        "num_experts_per_tok": 2, "tie_word_embeddings": false)",
     kExpertWidth},

    // --- qwen
    {"qwen", "", kDecoder, R"("attention_bias": true, "attention_output_bias": false,
        "halved": true)",
     R"("hidden_act": "silu", "tie_word_embeddings": false)"},
    {"qwen2", "Qwen2Config", kDecoder, kQkvBias,
     R"("vocab_size": 151936, "intermediate_size": 22016, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "max_position_embeddings": 32768,
        "width_of_part": 4096, "tie_word_embeddings": false)"},
    {"qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text", "Qwen2VLTextConfig", kDecoder, kQkvBias,
     R"("vocab_size": 152064, "intermediate_size": 29568, "num_hidden_layers": 80,
        "num_attention_heads": 64, "num_key_value_heads": 8, "tie_word_embeddings": false)"},
    {"qwen2_5_omni_text", "Qwen2_5OmniTextConfig", kDecoder, kQkvBias,
     R"("vocab_size": 152064, "intermediate_size": 18944, "num_hidden_layers": 28,
        "num_attention_heads": 28, "num_key_value_heads": 4, "tie_word_embeddings": false)"},
    {"qwen2_moe", "Qwen2MoeConfig", kDecoder,
     R"("attention_output_bias": false, "shared_expert_gate": true, "window_switch": true)",
     R"("vocab_size": 151936, "intermediate_size": 5632, "num_hidden_layers": 24,
        "num_attention_heads": 16, "num_key_value_heads": 16, "moe_intermediate_size": 1408,
        "moe_shared_expert_intermediate_size": 5632, "num_experts_per_tok": 4,
        "attention_bias": true, "tie_word_embeddings": false)"},
    {"qwen3 qwen3_text", "Qwen3Config", kDecoder, R"("qk_norm": true, "window_switch": true)",
     R"("vocab_size": 151936, "intermediate_size": 22016, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128,
        "max_position_embeddings": 32768, "tie_word_embeddings": false,
        "attention_bias": false)"},
    {"qwen3_vl qwen3_vl_text", "Qwen3VLTextConfig", kDecoder,
     R"("qk_norm": true, "window_switch": true)",
     R"("vocab_size": 151936, "intermediate_size": 22016, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128,
        "tie_word_embeddings": false, "attention_bias": false)"},
    {"qwen3_moe qwen3_omni_moe_text", "Qwen3MoeConfig", kDecoder,
     R"("qk_norm": true, "window_switch": true)",
     R"("vocab_size": 151936, "intermediate_size": 6144, "num_hidden_layers": 24,
        "num_attention_heads": 32, "num_key_value_heads": 4, "moe_intermediate_size": 768,
        "num_experts_per_tok": 8, "max_position_embeddings": 32768,
        "tie_word_embeddings": false, "attention_bias": false)"},
    {"qwen3_vl_moe qwen3_vl_moe_text", "Qwen3VLMoeTextConfig", kDecoder,
     R"("qk_norm": true, "window_switch": true)",
     R"("vocab_size": 151936, "intermediate_size": 5632, "num_hidden_layers": 24,
        "num_attention_heads": 16, "num_key_value_heads": 16, "moe_intermediate_size": 1408,
        "num_experts_per_tok": 4, "tie_word_embeddings": false, "attention_bias": false)"},
    {"qwen3_next", "Qwen3NextConfig", kDecoder, kDeltaNet,
     R"("vocab_size": 151936, "intermediate_size": 5632, "num_hidden_layers": 48,
        "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
        "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_num_value_heads": 32,
        "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "moe_intermediate_size": 512,
        "moe_shared_expert_intermediate_size": 512, "num_experts_per_tok": 10,
        "full_attention_interval": 4, "tie_word_embeddings": false, "attention_bias": false)"},
    {"qwen3_5 qwen3_5_text", "Qwen3_5TextConfig", kDecoder,
     R"("attention_output_bias": false, "qk_norm": true, "attention_gate": true,
        "recurrent": "gated_delta", "linear_chunk_size": 64, "linear_gated_norm": true)",
     R"("vocab_size": 248320, "num_hidden_layers": 32, "num_attention_heads": 16,
        "num_key_value_heads": 4, "head_dim": 256, "linear_num_key_heads": 16,
        "linear_key_head_dim": 128, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 4,
        "tie_word_embeddings": false, "attention_bias": false)"},
    {"qwen3_5_moe qwen3_5_moe_text", "Qwen3_5MoeTextConfig", kDecoder, kDeltaNet,
     R"("vocab_size": 248320, "num_hidden_layers": 40, "num_attention_heads": 16,
        "num_key_value_heads": 2, "head_dim": 256, "linear_num_key_heads": 16,
        "linear_key_head_dim": 128, "linear_num_value_heads": 32, "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4, "moe_intermediate_size": 512,
        "moe_shared_expert_intermediate_size": 512, "num_experts_per_tok": 8,
        "full_attention_interval": 4, "tie_word_embeddings": false, "attention_bias": false)"},

    // --- deepseek and its like
    {"deepseek", "", kDecoder, "",
     R"("attention_bias": false, "tie_word_embeddings": false, "first_k_dense_replace": 0)"},
    {"deepseek_v2 deepseek_vl_v2", "DeepseekV2Config", kDecoder, "",
     R"("vocab_size": 32000, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "q_lora_rank": 1536, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "attention_bias": false, "tie_word_embeddings": false)"},
    {"deepseek_v3", "DeepseekV3Config", kDecoder, R"("router_correction_bias": true)", kDeepseek},
    {"kimi_k2 pangu_ultra_moe", "", kDecoder, R"("router_correction_bias": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)"},
    {"glm_moe_dsa", "GlmMoeDsaConfig", kDecoder, R"("router_correction_bias": true)",
     R"("vocab_size": 154880, "intermediate_size": 12288, "moe_intermediate_size": 2048,
        "num_hidden_layers": 78, "num_attention_heads": 64, "num_experts_per_tok": 8,
        "n_shared_experts": 1, "q_lora_rank": 2048, "kv_lora_rank": 512,
        "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256,
        "index_n_heads": 32, "index_head_dim": 128, "index_topk": 2048,
        "first_k_dense_replace": 3, "attention_bias": false, "tie_word_embeddings": false)"},
    {"deepseek_v32", "DeepseekV32Config", kDecoder, R"("router_correction_bias": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)"},
    {"glm4_moe_lite", "Glm4MoeLiteConfig", kDecoder, R"("router_correction_bias": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)"},
    {"deepseek_v4", "", kDecoder,
     R"("router_correction_bias": true, "attention_sinks": true, "keys_are_values": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)", "",
     "hyper-connections, compressors and indexers of keys by layer (compress_ratios), hash "
     "routing"},
    // LongCat-Flash's layer is two of attention and MLP, the first with experts beside its MLP.
    {"longcat_flash", "LongcatFlashConfig", kDecoder,
     R"("router_correction_bias": true, "dense_beside_experts": true, "moe_layer_freq": 2,
        "first_k_dense_replace": 0)",
     R"("vocab_size": 131072, "intermediate_size": 12288, "moe_intermediate_size": 2048,
        "num_attention_heads": 64, "num_experts_per_tok": 12,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128, "hidden_act": "silu",
        "attention_bias": false, "tie_word_embeddings": false)",
     R"("num_layers": "layer_pairs", "num_hidden_layers": "", "zero_expert_num": "idle_experts",
        "zero_expert_type": "idle_expert_type", "attention_method": "attention_method",
        "mla_scale_q_lora": "", "mla_scale_kv_lora": "", "router_bias": "router_bias",
        "ngram_vocab_size_ratio": "not_modelled",
        "oe_vocab_size_ratio": "not_modelled", "index_n_heads": "not_modelled")",
     "experts beside the second half of a layer: priced before it; experts that do nothing: a "
     "token has as many others as even routing gives it; their rows of the router"},
    {"kimi_linear", "", kDecoder,
     R"("router_correction_bias": true, "recurrent": "kimi_delta", "linear_chunk_size": 64,
        "linear_gated_norm": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)", "",
     "residuals over blocks of layers, where a file has attn_res_block_size"},
    {"afmoe", "AfmoeConfig", kDecoder,
     R"("qk_norm": true, "norm_placement": "sandwich", "attention_gate": true,
        "router_correction_bias": true)",
     R"("sliding_window_pattern": 4, "attention_bias": false, "tie_word_embeddings": false)"},
    {"dots1", "Dots1Config", kDecoder, R"("qk_norm": true, "router_correction_bias": true)",
     R"("attention_bias": false, "tie_word_embeddings": false)"},
    {"bailing_moe", "", kDecoder, "",
     R"("bias": false, "tie_word_embeddings": false, "first_k_dense_replace": 0)"},
    {"bailing_moe_v2", "", kDecoder, R"("router_correction_bias": true)",
     R"("bias": false, "qk_norm": true, "tie_word_embeddings": false,
        "first_k_dense_replace": 0)"},
    {"bailing_moe_linear", "", kDecoder,
     R"("recurrent": "lightning", "linear_gated_norm": true, "router_correction_bias": true)",
     R"("bias": false, "qk_norm": true, "linear_chunk_size": 64, "tie_word_embeddings": false,
        "first_k_dense_replace": 0)",
     "", "norms of queries and keys in its linear layers"},
    {"minimax minimax_text_01 MiniMaxText01 minimax_m1 MiniMaxM1", "MiniMaxConfig", kDecoder,
     R"("attention_bias": false, "recurrent": "lightning", "linear_gated_norm": true)",
     R"("num_experts_per_tok": 2, "num_key_value_heads": 8, "head_dim": 128,
        "linear_chunk_size": 256, "tie_word_embeddings": false)",
     kExpertWidth},
    {"minimax_m2", "MiniMaxM2Config", kDecoder, R"("attention_bias": false)",
     R"("vocab_size": 200064, "moe_intermediate_size": 1536, "num_hidden_layers": 62,
        "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128,
        "num_experts_per_tok": 8, "qk_norm_whole": true, "router_correction_bias": true,
        "tie_word_embeddings": false)",
     R"("intermediate_size": "moe_intermediate_size", "use_qk_norm": "qk_norm_whole",
        "use_routing_bias": "router_correction_bias", "use_mtp": "",
        "mtp_transformer_layers": "", "qk_norm_type": "")"},
    // MiniMax-M3's indexer chooses blocks of keys, one choice for the heads of a key head.
    {"minimax_m3 minimax_m3_vl", "MiniMaxM3VLTextConfig", kDecoder,
     R"("attention_bias": false, "chooses_blocks": true)",
     R"("vocab_size": 200064, "moe_intermediate_size": 3072, "intermediate_size": 12288,
        "moe_shared_expert_intermediate_size": 3072, "n_shared_experts": 1,
        "num_hidden_layers": 60, "num_attention_heads": 64, "num_key_value_heads": 4,
        "head_dim": 128, "num_experts_per_tok": 4, "qk_norm": true,
        "router_correction_bias": true, "hidden_act": "silu", "tie_word_embeddings": false)",
     R"("intermediate_size": "moe_intermediate_size", "dense_intermediate_size":
        "intermediate_size", "use_routing_bias": "router_correction_bias",
        "attention_output_gate": "not_modelled", "num_mtp_modules": "", "qk_norm_type": "",
        "use_gemma_norm": "", "sparse_score_type": "", "sparse_init_block": "",
        "sparse_local_block": "", "index_local_blocks": "", "sparse_disable_index_value": "")",
     "modules of token prediction beyond num_nextn_predict_layers"},
    {"step3p5 step3p7", "", kDecoder, R"("attention_bias": false, "qk_norm": true,
        "attention_gate_dim": 1)",
     R"("tie_word_embeddings": false)", R"("use_moe_router_bias": "router_correction_bias")",
     "layers of other numbers of heads"},
    {"step3_text", "", kDecoder, R"("attention_bias": false, "narrow_queries": true)",
     R"("tie_word_embeddings": false)", R"("share_q_dim": "q_lora_rank")"},
    // Arctic's dense MLP runs beside the experts and is as wide as the model.
    {"arctic", "", kDecoder, R"("attention_bias": false, "shared_as_hidden": true)",
     R"("tie_word_embeddings": false)",
     R"("intermediate_size": "moe_intermediate_size", "moe_layer_frequency": "decoder_sparse_step",
        "use_residual": "", "parallel_attn_mlp_res": "")",
     "the third norm of a layer"},
    {"bitnet", "BitNetConfig", kDecoder, R"("attention_bias": false, "inner_norms": true)",
     R"("hidden_act": "relu2", "tie_word_embeddings": true)", "",
     "weights of three values: priced as dense ones"},
    {"hunyuan hunyuan_v1_dense hunyuan_v1_moe hunyuan_dense", "", kDecoder, "",
     R"("qk_norm": true, "attention_bias": false, "tie_word_embeddings": true)"},

    // Grok's dense MLP runs beside the experts. Its file calls itself "git" (hf_document.cpp).
    {"grok2", "", kDecoder, R"("attention_bias": false, "norm_placement": "sandwich")",
     R"("hidden_act": "gelu", "tie_word_embeddings": false)",
     R"("intermediate_size": "moe_shared_expert_intermediate_size", "residual_moe": "")"},
    {"aria_text", "AriaTextConfig", kDecoder, "",
     R"("num_hidden_layers": 32, "num_attention_heads": 32, "moe_intermediate_size": 4096,
        "n_shared_experts": 2, "attention_bias": false, "tie_word_embeddings": false)",
     kExpertWidth},

    // --- allen's first code, and models with its keys
    {"hf_olmo", "",
     R"("norm": "layernorm_bare", "position_embedding": "rope", "gated": true, "mlp_bias": false)",
     R"("attention_bias": false, "halved": true)",
     R"("hidden_act": "swiglu", "tie_word_embeddings": true)",
     R"("mlp_hidden_size": "intermediate_size", "embedding_size": "",
        "include_bias": "not_modelled", "attention_layer_norm": "not_modelled",
        "layer_norm_with_affine": "not_modelled")"},
    {"molmo", "", kDecoder, R"("attention_output_bias": false, "halved": true)",
     R"("hidden_act": "silu", "attention_bias": false, "tie_word_embeddings": false)",
     R"("embedding_size": "", "attention_layer_norm": "qk_norm_whole",
        "norm_after": "not_modelled")",
     "its encoder of images"},

    {"eurobert", "EuroBertConfig", kDecoder,
     R"("mixers": "encoder", "output": "none", "tie_word_embeddings": false)",
     R"("attention_bias": false)", "", "the head of masked-language training"},

    // ModernBERT's norm of the embeddings replaces that of the first layer.
    {"modernbert", "ModernBertConfig",
     R"("norm": "layernorm_unbiased", "position_embedding": "rope", "gated": true,
        "mixers": "encoder")",
     R"("output": "none", "tie_word_embeddings": false, "first_sees_all": true)",
     R"("vocab_size": 50368, "num_hidden_layers": 22, "num_attention_heads": 12,
        "intermediate_size": 1152, "hidden_act": "gelu", "attention_bias": false,
        "mlp_bias": false, "sliding_window": 128, "sliding_window_pattern": 3)",
     R"("hidden_activation": "hidden_act", "global_attn_every_n_layers": "sliding_window_pattern",
        "local_attention": "sliding_window")",
     "the head of masked-language training"},
    // Embedders of NVIDIA: decoders in which every token sees all.
    {"llama_bidirec bidir_mistral", "", kDecoder,
     R"("bidirectional": true, "output": "none", "tie_word_embeddings": false)",
     R"("attention_bias": false)"},

    // --- glm
    {"chatglm", "", R"("position_embedding": "rope", "gated": true)", "",
     R"("norm": "rmsnorm", "attention_output_bias": false, "bias": false, "attention_bias": true,
        "hidden_act": "silu", "tie_word_embeddings": false)",
     R"("position_encoding_2d": "not_modelled")"},
    // The first GLM's files, of blanks to fill in, have the type of a later decoder.
    {"glm", "GlmConfig", kDecoder, R"("attention_output_bias": false)",
     R"("vocab_size": 151552, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 2, "head_dim": 128, "attention_bias": true,
        "tie_word_embeddings": false)",
     R"("block_position_encoding": "not_modelled", "num_layers": "not_modelled")"},
    {"glm4 glm4v glm4v_text", "Glm4Config", kDecoder,
     R"("attention_output_bias": false, "norm_placement": "sandwich")",
     R"("vocab_size": 151552, "intermediate_size": 13696, "num_hidden_layers": 40,
        "num_attention_heads": 32, "num_key_value_heads": 2,
        "attention_bias": false, "tie_word_embeddings": false)"},
    {"glm4_moe glm4v_moe glm4v_moe_text solar_open", "Glm4MoeConfig", kDecoder,
     R"("attention_output_bias": false, "router_correction_bias": true)",
     R"("vocab_size": 151552, "intermediate_size": 10944, "num_hidden_layers": 46,
        "num_attention_heads": 96, "num_key_value_heads": 8, "moe_intermediate_size": 1408,
        "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 1,
        "attention_bias": false, "qk_norm": false, "tie_word_embeddings": false)"},

};

constexpr HfRefusal kRefusals[] = {
    {"clip siglip siglip2 clip_text_model siglip_text_model clip_vision_model align blip blip-2",
     "pairs of an image and a text encoder"},
    {"whisper wav2vec2 hubert seamless_m4t speech_to_text", "encoders of sound"},
    {"zamba", "blocks whose weights several layers share, each over a recurrence of its own"},
    {"gemma3n gemma3n_text", "embeddings of each layer and residual streams beside each other"},
    {"gemma4 gemma4_text gemma4_unified gemma4_unified_text gemma4_assistant",
     "wider heads in the layers that see all keys, and in small ones embeddings of each layer"},
    {"rwkv rwkv5 rwkv6 rwkv7 xlstm retnet", "their recurrence"},
    {"mllama mllama_text_model", "layers that attend to images only"},
    {"nemotron-nas deci openelm", "layers of different width"},
    {"deberta deberta-v2 xlnet longformer reformer mpnet big_bird funnel convbert diffllama",
     "their attention"},
    {"led prophetnet nllb-moe switch_transformers t5gemma", "their encoder and decoder"},
    {"longcat_flash_ngram longcat_next", "embeddings of n-grams"},
    {"jetmoe", "experts inside attention"},
    {"mimo_v2 mimo_v2_flash",
     "value heads narrower than key heads, and layers of different numbers of key heads"},
    {"ouro", "layers that run several times"},
    {"Dream llada llada_moe sdar sdar_moe", "diffusion of whole texts"},
    {"ctrl biogpt", "their attention or positions"},
};

// An unknown family: what the file says, and what most decoders have.
constexpr HfFamily kPlainDecoder = {
    "", "", R"("position_embedding": "rope")", "",
    R"("attention_bias": false, "mlp_bias": false, "tie_word_embeddings": true,
       "hidden_act": "silu")"};

}  // namespace

std::array<std::span<const HfFamily>, 2> hf_families() {
  return {std::span<const HfFamily>(kFamilies), hf_further_families()};
}

std::span<const HfRefusal> hf_refusals() { return kRefusals; }

const HfFamily& hf_plain_decoder() { return kPlainDecoder; }

namespace {

const HfFamily* row_of(std::string_view type) {
  for (const std::span<const HfFamily> part : hf_families()) {
    for (const HfFamily& family : part) {
      if (has_word(family.types, type)) return &family;
    }
  }
  return nullptr;
}

}  // namespace

// The text model of a larger one is the family of its own.
const HfFamily* hf_family(std::string_view model_type) {
  constexpr std::string_view kText = "_text";
  if (const HfFamily* row = row_of(model_type)) return row;
  const bool text = model_type.size() > kText.size() &&
                    model_type.substr(model_type.size() - kText.size()) == kText;
  return text ? row_of(model_type.substr(0, model_type.size() - kText.size())) : nullptr;
}

}  // namespace orrery
