// SPDX-License-Identifier: Apache-2.0
#include "model/hf_families.h"

namespace orrery {
namespace {

constexpr HfKey kLlama[] = {
    {"vocab_size", "vocab_size", "32000"},
    {"hidden_size", "hidden_size", "4096"},
    {"intermediate_size", "intermediate_size", "11008"},
    {"num_hidden_layers", "num_hidden_layers", "32"},
    {"num_attention_heads", "num_attention_heads", "32"},
    {"num_key_value_heads", "num_key_value_heads"},
    {"head_dim", "head_dim"},
    {"max_position_embeddings", "max_position_embeddings", "2048"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"attention_bias", "attention_bias", "false"},
    {"mlp_bias", "mlp_bias", "false"},
};

constexpr HfKey kGpt2[] = {
    {"vocab_size", "vocab_size", "50257"},
    {"n_embd", "hidden_size", "768"},
    {"n_inner", "intermediate_size"},
    {"n_layer", "num_hidden_layers", "12"},
    {"n_head", "num_attention_heads", "12"},
    {"n_positions", "max_position_embeddings", "1024"},
    {"tie_word_embeddings", "tie_word_embeddings", "true"},
};

constexpr HfKey kGptNeox[] = {
    {"vocab_size", "vocab_size", "50432"},
    {"hidden_size", "hidden_size", "6144"},
    {"intermediate_size", "intermediate_size", "24576"},
    {"num_hidden_layers", "num_hidden_layers", "44"},
    {"num_attention_heads", "num_attention_heads", "64"},
    {"max_position_embeddings", "max_position_embeddings", "2048"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"use_parallel_residual", "use_parallel_residual", "true"},
    {"attention_bias", "attention_bias", "true"},
};

constexpr HfKey kMixtral[] = {
    {"vocab_size", "vocab_size", "32000"},
    {"hidden_size", "hidden_size", "4096"},
    {"intermediate_size", "moe_intermediate_size", "14336"},
    {"num_hidden_layers", "num_hidden_layers", "32"},
    {"num_attention_heads", "num_attention_heads", "32"},
    {"num_key_value_heads", "num_key_value_heads", "8"},
    {"head_dim", "head_dim"},
    {"max_position_embeddings", "max_position_embeddings", "131072"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"num_local_experts", "num_local_experts", "8"},
    {"num_experts_per_tok", "num_experts_per_tok", "2"},
};

constexpr HfKey kQwen3[] = {
    {"vocab_size", "vocab_size", "151936"},
    {"hidden_size", "hidden_size", "4096"},
    {"intermediate_size", "intermediate_size", "22016"},
    {"num_hidden_layers", "num_hidden_layers", "32"},
    {"num_attention_heads", "num_attention_heads", "32"},
    {"num_key_value_heads", "num_key_value_heads", "32"},
    {"head_dim", "head_dim", "128"},
    {"max_position_embeddings", "max_position_embeddings", "32768"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"attention_bias", "attention_bias", "false"},
};

constexpr HfKey kQwen3Moe[] = {
    {"vocab_size", "vocab_size", "151936"},
    {"hidden_size", "hidden_size", "2048"},
    {"intermediate_size", "intermediate_size", "6144"},
    {"num_hidden_layers", "num_hidden_layers", "24"},
    {"num_attention_heads", "num_attention_heads", "32"},
    {"num_key_value_heads", "num_key_value_heads", "4"},
    {"head_dim", "head_dim"},
    {"max_position_embeddings", "max_position_embeddings", "32768"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"attention_bias", "attention_bias", "false"},
    {"num_experts", "num_local_experts", "128"},
    {"num_experts_per_tok", "num_experts_per_tok", "8"},
    {"moe_intermediate_size", "moe_intermediate_size", "768"},
};

constexpr HfKey kDeepseekV3[] = {
    {"vocab_size", "vocab_size", "129280"},
    {"hidden_size", "hidden_size", "7168"},
    {"intermediate_size", "intermediate_size", "18432"},
    {"moe_intermediate_size", "moe_intermediate_size", "2048"},
    {"num_hidden_layers", "num_hidden_layers", "61"},
    {"num_attention_heads", "num_attention_heads", "128"},
    {"num_key_value_heads", "num_key_value_heads"},
    {"q_lora_rank", "q_lora_rank", "1536"},
    {"kv_lora_rank", "kv_lora_rank", "512"},
    {"qk_nope_head_dim", "qk_nope_head_dim", "128"},
    {"qk_rope_head_dim", "qk_rope_head_dim", "64"},
    {"v_head_dim", "v_head_dim", "128"},
    {"head_dim", "head_dim"},
    {"max_position_embeddings", "max_position_embeddings", "4096"},
    {"tie_word_embeddings", "tie_word_embeddings", "false"},
    {"attention_bias", "attention_bias", "false"},
    {"n_routed_experts", "num_local_experts", "256"},
    {"num_experts_per_tok", "num_experts_per_tok", "8"},
    {"n_shared_experts", "n_shared_experts", "1"},
    {"first_k_dense_replace", "first_k_dense_replace", "3"},
    {"moe_layer_freq", "moe_layer_freq", "1"},
    {"num_nextn_predict_layers", "num_nextn_predict_layers", "0"},
};

constexpr HfFixed kRmsRope[] = {
    {"norm", R"("rmsnorm")"}, {"position_embedding", R"("rope")"}, {"mlp_bias", "false"}};
constexpr HfFixed kRmsRopeNoBias[] = {{"norm", R"("rmsnorm")"},
                                      {"position_embedding", R"("rope")"},
                                      {"attention_bias", "false"},
                                      {"mlp_bias", "false"}};
constexpr HfFixed kRmsRopeQkNorm[] = {{"norm", R"("rmsnorm")"},
                                      {"position_embedding", R"("rope")"},
                                      {"mlp_bias", "false"},
                                      {"qk_norm", "true"}};
constexpr HfFixed kDeepseekFixed[] = {{"norm", R"("rmsnorm")"},
                                      {"position_embedding", R"("rope")"},
                                      {"mlp_bias", "false"},
                                      {"router_correction_bias", "true"}};
constexpr HfFixed kLearned[] = {{"norm", R"("layernorm")"},
                                {"position_embedding", R"("learned")"},
                                {"attention_bias", "true"},
                                {"mlp_bias", "true"}};
constexpr HfFixed kLayerNormRope[] = {
    {"norm", R"("layernorm")"}, {"position_embedding", R"("rope")"}, {"mlp_bias", "true"}};

constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kGpt2Dropout[] = {"attn_pdrop", "resid_pdrop", "embd_pdrop"};
constexpr std::string_view kNeoxDropout[] = {"attention_dropout", "hidden_dropout",
                                             "attention_probs_dropout_prob", "hidden_dropout_prob"};

constexpr HfKey kSilu{"hidden_act", "hidden_act", "silu"};

constexpr HfFamily kFamilies[] = {
    {"llama", "LlamaConfig", true, kSilu, kLlama, kRmsRope, kAttentionDropout, 0.0, HfWindow::none},
    {"gpt2",
     "GPT2Config",
     false,
     {"activation_function", "hidden_act", "gelu_new"},
     kGpt2,
     kLearned,
     kGpt2Dropout,
     0.1,
     HfWindow::none},
    {"gpt_neox",
     "GPTNeoXConfig",
     false,
     {"hidden_act", "hidden_act", "gelu"},
     kGptNeox,
     kLayerNormRope,
     kNeoxDropout,
     0.0,
     HfWindow::none},
    {"mixtral", "MixtralConfig", true, kSilu, kMixtral, kRmsRopeNoBias, kAttentionDropout, 0.0,
     HfWindow::plain},
    {"qwen3", "Qwen3Config", true, kSilu, kQwen3, kRmsRopeQkNorm, kAttentionDropout, 0.0,
     HfWindow::switched},
    {"qwen3_moe", "Qwen3MoeConfig", true, kSilu, kQwen3Moe, kRmsRopeQkNorm, kAttentionDropout, 0.0,
     HfWindow::switched},
    {"deepseek_v3", "DeepseekV3Config", true, kSilu, kDeepseekV3, kDeepseekFixed, kAttentionDropout,
     0.0, HfWindow::none},
};

constexpr std::string_view kIrrelevant[] = {
    "_attn_implementation",
    "_name_or_path",
    "architectures",
    "attn_implementation",
    "auto_map",
    "aux_loss_alpha",
    "bos_token_id",
    "classifier_dropout",
    "embd_pdrop",
    "eos_token_id",
    "ep_size",
    "gradient_checkpointing",
    "id2label",
    "initializer_range",
    "label2id",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "n_ctx",
    "n_group",
    "norm_topk_prob",
    "output_past",
    "output_router_logits",
    "pad_token_id",
    "partial_rotary_factor",
    "pretraining_tp",
    "qk_head_dim",
    "reorder_and_upcast_attn",
    "rms_norm_eps",
    "rope_interleave",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "rotary_emb_base",
    "rotary_pct",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "scoring_func",
    "seq_aux",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "task_specific_params",
    "tokenizer_class",
    "topk_group",
    "topk_method",
    "transformers_version",
    "use_cache",
};

}  // namespace

std::span<const HfFamily> hf_families() { return kFamilies; }
std::span<const std::string_view> hf_irrelevant_keys() { return kIrrelevant; }

}  // namespace orrery
