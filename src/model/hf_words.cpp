// SPDX-License-Identifier: Apache-2.0
#include "model/hf_words.h"

#include <algorithm>

namespace orrery {
namespace {

constexpr HfSpelling kSpellings[] = {
    // --- sizes
    {"num_hidden_layers", "num_hidden_layers n_layer n_layers num_layers"},
    {"num_decoder_layers", "num_decoder_layers"},
    {"hidden_size", "hidden_size n_embd n_embed d_model dim"},
    {"num_attention_heads", "num_attention_heads n_head n_heads num_heads"},
    {"num_key_value_heads",
     "num_key_value_heads num_kv_heads n_kv_heads n_head_kv kv_n_heads multi_query_group_num "
     "num_attention_groups"},
    {"head_dim", "head_dim kv_channels d_kv attention_head_dim attention_head_size"},
    {"intermediate_size",
     "intermediate_size n_inner ffn_dim ffn_hidden_size d_ff block_ff_dim ffn_hidden_dim"},
    {"vocab_size", "padded_vocab_size vocab_size"},
    {"max_position_embeddings",
     "max_position_embeddings n_positions max_seq_len seq_length max_sequence_length"},
    {"tie_word_embeddings",
     "share_embedding tie_word_embeddings tie_embedding tie_embeddings weight_tying"},
    {"hidden_act",
     "hidden_activation hidden_act activation_function activation mlp_hidden_act ffn_act_fn "
     "feed_forward_proj afn"},
    {"num_nextn_predict_layers",
     "num_nextn_predict_layers mtp_num_hidden_layers num_mtp_modules mtp_num_layers"},

    // --- biases and norms
    {"attention_bias", "attention_bias add_qkv_bias use_qkv_bias qkv_bias attn_bias"},
    {"attention_output_bias", "attention_out_bias attention_output_bias"},
    {"mlp_bias", "mlp_bias"},
    {"bias", "use_bias bias add_bias_linear enable_bias"},
    {"no_bias", "no_bias"},
    {"head_bias", "lm_head_bias"},
    {"qk_norm", "use_qk_norm qk_layernorm use_qk_layernorm qk_ln qk_norm use_qk_norm_per_head"},
    {"use_rmsnorm", "rmsnorm use_rmsnorm use_rms_norm"},
    {"norm_weights", "layer_norm_elementwise_affine"},
    {"use_parallel_residual", "use_parallel_residual"},
    {"parallel_attn", "parallel_attn"},
    {"new_decoder_architecture", "new_decoder_architecture"},
    {"num_ln_in_parallel_attn", "num_ln_in_parallel_attn"},
    {"multi_query", "multi_query multi_query_attention"},
    {"do_layer_norm_before", "do_layer_norm_before"},
    {"remove_final_layer_norm", "_remove_final_layer_norm"},
    {"word_embed_proj_dim", "word_embed_proj_dim embedding_size"},
    {"expansion_ratio", "expansion_ratio mlp_ratio"},
    {"two_thirds_wide", "block_auto_adjust_ff_dim"},
    {"width_factor", "block_ffn_dim_multiplier"},
    {"width_multiple", "block_multiple_of"},

    // --- positions and windows
    {"alibi", "alibi use_alibi"},
    {"learned_pos_emb", "learned_pos_emb"},
    {"position_embedding_type", "position_embedding_type"},
    {"bidirectional", "use_bidirectional_attention"},
    {"is_causal", "is_causal"},
    {"is_decoder", "is_decoder"},
    {"feed_forward_type", "feed_forward_type"},
    {"type_vocab_size", "type_vocab_size"},
    {"relative_attention_num_buckets", "relative_attention_num_buckets"},
    {"sliding_window", "sliding_window sliding_window_size window_size"},
    {"use_sliding_window", "use_sliding_window"},
    {"max_window_layers", "max_window_layers"},
    {"sliding_window_pattern", "sliding_window_pattern global_attn_every_n_layers"},
    {"attention_chunk_size", "attention_chunk_size"},
    {"no_rope_layers", "no_rope_layers"},
    {"no_rope_layer_interval", "no_rope_layer_interval"},

    // --- latent attention, its indexer, gates
    {"q_lora_rank", "q_lora_rank"},
    {"kv_lora_rank", "kv_lora_rank"},
    {"qk_nope_head_dim", "qk_nope_head_dim"},
    {"qk_rope_head_dim", "qk_rope_head_dim"},
    {"v_head_dim", "v_head_dim"},
    {"use_mla", "use_mla"},
    {"index_n_heads", "index_n_heads sparse_num_index_heads"},
    {"index_head_dim", "index_head_dim sparse_index_dim"},
    {"index_topk", "index_topk"},
    {"index_block_size", "index_block_size sparse_block_size"},
    {"index_topk_blocks", "index_topk_blocks sparse_topk_blocks"},
    {"use_sparse_attention", "use_sparse_attention"},
    {"sparse_attention_freq", "sparse_attention_freq"},
    {"indexer_types", "indexer_types"},
    {"index_topk_pattern", "index_topk_pattern"},
    {"index_topk_freq", "index_topk_freq"},
    {"index_skip_topk_offset", "index_skip_topk_offset"},
    {"attention_gate", "attn_output_gate mla_use_output_gate use_output_gate"},
    {"cla_share_factor", "cla_share_factor"},
    {"use_cla", "use_cla"},
    {"o_groups", "o_groups"},
    {"o_lora_rank", "o_lora_rank"},
    {"compress_ratios", "compress_ratios"},

    // --- experts
    {"num_local_experts",
     "num_local_experts num_experts n_routed_experts moe_num_experts num_routed_experts n_experts"},
    {"num_experts_per_tok",
     "num_experts_per_tok experts_per_token num_experts_per_token moe_k moe_topk moe_top_k "
     "num_selected_experts moe_router_topk"},
    {"n_group", "n_group num_expert_group"},
    {"topk_group", "topk_group"},
    {"moe_intermediate_size", "moe_intermediate_size moe_ffn_hidden_size expert_ffn_hidden_size"},
    {"n_shared_experts",
     "n_shared_experts num_shared_experts num_shared_expert moe_num_shared_experts"},
    {"moe_shared_expert_intermediate_size",
     "moe_shared_expert_intermediate_size shared_expert_intermediate_size shared_intermediate_size "
     "share_expert_dim"},
    {"moe_latent_size", "moe_latent_size routed_expert_hidden_size"},
    {"router_correction_bias", "use_expert_bias moe_router_enable_expert_bias use_routing_bias"},
    {"first_k_dense_replace", "first_k_dense_replace num_dense_layers"},
    {"moe_layer_freq", "moe_layer_freq"},
    {"decoder_sparse_step", "decoder_sparse_step"},
    {"mlp_only_layers", "mlp_only_layers"},
    {"interleave_moe_layer_step", "interleave_moe_layer_step"},
    {"moe_layers", "moe_layers moe_layers_enum"},
    {"mlp_layer_types", "mlp_layer_types"},
    {"expert_layer_period", "expert_layer_period"},
    {"expert_layer_offset", "expert_layer_offset"},
    {"moe_layer_start_index", "moe_layer_start_index"},
    {"moe_layer_end_index", "moe_layer_end_index"},
    {"moe_layer_interval", "moe_layer_interval"},

    // --- which layer is of which kind
    {"layer_types", "layer_types layers_block_type"},
    {"hybrid_override_pattern", "hybrid_override_pattern"},
    {"attn_layer_period", "attn_layer_period"},
    {"attn_layer_offset", "attn_layer_offset"},
    {"attn_layer_indices", "attn_layer_indices full_attn_idxs"},
    {"full_attn_layers", "full_attn_layers"},  // counted from one
    {"full_attention_interval", "full_attention_interval layer_group_size"},
    {"attn_type_list", "attn_type_list"},
    {"hybrid_layer_pattern", "hybrid_layer_pattern"},

    // --- recurrent layers
    {"linear_num_key_heads", "linear_num_key_heads n_groups mamba_n_groups mamba_ngroups"},
    {"linear_key_head_dim",
     "linear_key_head_dim ssm_state_size mamba_d_state state_size mamba_state_dim"},
    {"linear_num_value_heads", "linear_num_value_heads mamba_num_heads mamba_n_heads"},
    {"linear_value_head_dim", "linear_value_head_dim mamba_head_dim mamba_d_head"},
    {"linear_conv_kernel_dim",
     "linear_conv_kernel_dim conv_kernel mamba_d_conv short_conv_kernel_size conv_L_cache"},
    {"linear_chunk_size", "chunk_size mamba_chunk_size block_size"},
    {"linear_rank", "time_step_rank mamba_dt_rank"},
    {"linear_conv_bias", "use_conv_bias mamba_conv_bias"},
    {"linear_projection_bias", "mamba_proj_bias"},
    {"linear_gated_norm", "mamba_rms_norm rms_norm"},
    {"mamba_expand", "mamba_expand expand"},
    {"mamba_d_ssm", "mamba_d_ssm"},
    {"use_full_rank_gate", "use_full_rank_gate"},

    // --- images
    {"image_size", "image_size"},
    {"patch_size", "patch_size"},
    {"num_channels", "num_channels"},
};

constexpr std::string_view kDropout =
    "dropout attention_dropout attn_pdrop resid_pdrop embd_pdrop hidden_dropout dropout_rate "
    "residual_dropout resid_dropout embedding_dropout embed_dropout emb_pdrop "
    "attention_probs_dropout_prob hidden_dropout_prob attn_dropout_prob emb_dropout_prob "
    "activation_dropout output_dropout";

// Keys without effect on sizes whose names no rule below finds.
constexpr std::string_view kIrrelevant =
    "architectures auto_map model_type transformers_version torch_dtype dtype use_cache "
    "id2label label2id task_specific_params tokenizer_class gradient_checkpointing "
    "attn_implementation quantization_config is_encoder_decoder init_std init_method "
    "init_device fp16 bf16 fp32 onnx_safe verbose "
    "initializer_range use_mamba_kernels residual_in_fp32 rescale_prenorm_residual time_step_limit "
    "time_step_min time_step_max time_step_floor time_step_scale time_step_init_scheme "
    "mamba_hidden_act mamba_ssm_cache_dtype mamba_ssm_dtype mamba_norm_before_gate "
    "num_logits_to_keep chunk_size_feed_forward num_beams num_beam_groups num_return_sequences "
    "temperature top_k top_p typical_p pruned_heads tie_encoder_decoder torchscript "
    "use_bfloat16 return_dict return_dict_in_generate do_sample early_stopping bad_words_ids "
    "scale_embedding cross_attention_hidden_size finetuning_task prefix problem_type "
    "topk_method norm_topk_prob scoring_func seq_aux ep_size "
    "use_grouped_topk moe_renormalize moe_router_activation_func norm_topk_prob "
    "routed_scaling_factor moe_router_scaling_factor swiglu_limit experts_implementation "
    "num_hash_layers original_max_position_embeddings initial_context_length model_max_length "
    "n_ctx rope_interleave indexer_rope_interleave index_share_for_mtp_iteration "
    "rope_parameters rope_scaling rope_theta rope_local_base_freq "
    "rotary_dim rotary_pct rotary_emb_base rotary_emb_fraction partial_rotary_factor "
    "partial_rotary_factors rope_ratio original_rope qk_head_dim query_pre_attn_scalar "
    "query_pre_attn_scale pretraining_tp moe_capacity moe_gate moe_drop_tokens capacity_factor "
    "moe_random_routing_dropped_token use_mixed_mlp_moe moe_shared_expert_overlap "
    "mtp_layers_block_type mtp_use_dedicated_embeddings mtp_transformer_layers use_mtp "
    "cache_implementation use_flash_attn use_cache_quantization "
    "use_cache_kernel use_dynamic_ntk use_logn_attn softmax_in_fp32 attention_softmax_in_fp32 "
    "fp32_residual_connection scale_attn_by_inverse_layer_idx scale_attn_weights "
    "scale_attention_softmax_in_fp32 reorder_and_upcast_attn output_past layerdrop z_loss_weight "
    "bias_dropout_fusion masked_softmax_fusion skip_bias_add skip_bias_add_qkv offset_alibi "
    "apply_residual_connection_post_layernorm apply_query_key_layer_scaling post_layer_norm "
    "pre_seq_len prefix_projection unk_token_id embedding_fraction logit_scale "
    "attn_config ffn_config clip_qkv attn_type attn_impl alibi_bias_max prefix_lm softmax_scale "
    "attn_uses_sequence_id norm_type mlp_type norm_epsilon mamba_use_mlp projectors_bias "
    "summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj "
    "classifier_activation classifier_dropout activation_situ_beta activation_situ_linear_beta "
    "gate_lower_bound kda_layers latent_moe_use_norm attn_res_block_size "
    "mla_use_nope compress_rope_theta hc_mult hc_eps hc_sinkhorn_iters expert_dtype "
    "mm_tokens_per_image use_mrope mrope_interleaved embedding_multiplier logits_scaling "
    "attention_multiplier residual_multiplier ssm_multipliers mlp_multipliers "
    "use_pos_emb scale_depth scale_emb dim_model_base floor_attention "
    "norm_head norm_softmax nope_layer_interval attn_temperature_tuning floor_scale attn_scale "
    "for_llm_class router_jitter_noise input_jitter_noise multiplier num_labels num_patches "
    "feature_extractor is_gated_act dense_act_fn relative_attention_max_distance max_length "
    "min_length vision_config audio_config lm_head rm_head";

// Ends and beginnings of names that say nothing about sizes.
constexpr std::string_view kHarmlessEnds[] = {
    "_token_id", "_token_index", "_token_ids",  "_eps",   "_epsilon",     "_theta",
    "_coef",     "_prob",        "_dropout",    "_noise", "_alpha",       "_beta",
    "_scale",    "_factor",      "_multiplier", "_cap",   "_softcapping", "_penalty",
    "_weight",   "_length",      "_dtype",      "_loss",  "_loss_weight", "_implementation",
    "_version",  "_drop_rate",   "_fusion"};
constexpr std::string_view kHarmlessBeginnings[] = {"_",       "output_",   "max_",   "min_",
                                                    "rope_",   "rotary_",   "init",   "router_aux",
                                                    "forced_", "suppress_", "begin_", "use_flash"};

// Words of names that belong to sizes and parts.
constexpr std::string_view kSizeWords =
    "size dim dims rank heads head layers layer experts expert hidden width groups group kernel "
    "state num n channels latent memory depth ratio ratios mlp ffn blocks block bias norm gate "
    "gated shared residual conv lora mem cross encoder decoder adapter inputs modules pattern "
    "streams stream connections tower low per layernorm layernorms rmsnorm table tables entries "
    "embed embedding embeddings share sharing tie tied topk";

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at && text.substr(at, blank - at) == word) return true;
    at = blank + 1;
  }
  return false;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at) words.emplace_back(text.substr(at, blank - at));
    at = blank + 1;
  }
  return words;
}

std::span<const HfSpelling> hf_spellings() { return kSpellings; }
std::string_view hf_dropout_keys() { return kDropout; }
std::string_view hf_refused_keys() {
  return "add_cross_attention alibi_starting_size relative_attention";
}
std::string_view hf_parts() {
  return "attn_config ffn_config linear_attn_config sparse_attention_config";
}
std::string_view hf_language_models() {
  return "text_config llm_config language_config thinker_config text_model_config";
}

bool hf_is_irrelevant(std::string_view key) {
  return has_word(kIrrelevant, key) || has_word(kDropout, key) ||
         std::any_of(std::begin(kHarmlessEnds), std::end(kHarmlessEnds),
                     [&](std::string_view end) { return ends_in(key, end); }) ||
         std::any_of(std::begin(kHarmlessBeginnings), std::end(kHarmlessBeginnings),
                     [&](std::string_view b) { return key.substr(0, b.size()) == b; });
}

bool hf_looks_like_a_size(std::string_view key) {
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('_', at), key.size());
    if (end > at && has_word(kSizeWords, key.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace orrery
