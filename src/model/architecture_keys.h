// SPDX-License-Identifier: Apache-2.0
//
// The keys of a model, configs/models/NAME.json, one row each (core/keys.h). A count has its least
// and greatest legal value. The greatest, together with the check of the whole
// (model/architecture_check.cpp), keep every product of sizes within 64 bits.
#pragma once

#include <array>
#include <string_view>

#include "core/provenance_keys.h"
#include "model/architecture.h"
#include "model/trunk_keys.h"

namespace orrery {

// A value of `hidden_act`, and the defaults of other keys that go with it.
struct HiddenAct {
  std::string_view name;
  Activation activation;
  bool gated;
  Norm norm;
  bool bias;
  PositionEmbedding positions;
  bool tie_word_embeddings;
};

inline constexpr std::array<HiddenAct, 5> kHiddenActs = {{
    {"gelu", Activation::kGelu, false, Norm::kLayerNorm, true, PositionEmbedding::kLearned, true},
    {"relu", Activation::kRelu, false, Norm::kLayerNorm, true, PositionEmbedding::kLearned, true},
    {"relu2", Activation::kRelu2, false, Norm::kLayerNorm, false, PositionEmbedding::kRope, false},
    {"swiglu", Activation::kSilu, true, Norm::kRmsNorm, false, PositionEmbedding::kRope, false},
    {"geglu", Activation::kGelu, true, Norm::kRmsNorm, false, PositionEmbedding::kRope, false},
}};
inline constexpr auto kHiddenActNames = [] {
  std::array<std::string_view, kHiddenActs.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kHiddenActs[i].name;
  return names;
}();

constexpr EnumNames<Norm> names_of(Norm) {
  return {"layernorm", "rmsnorm", "layernorm_unbiased", "layernorm_bare"};
}
constexpr EnumNames<NormPlacement> names_of(NormPlacement) { return {"pre", "post", "sandwich"}; }
constexpr EnumNames<PositionEmbedding> names_of(PositionEmbedding) {
  return {"learned", "rope", "alibi", "none", "relative"};
}
constexpr EnumNames<ModelOutput> names_of(ModelOutput) { return {"vocabulary", "pooler", "none"}; }
constexpr EnumNames<RecurrentKind> names_of(RecurrentKind) {
  return {"none",       "mamba",     "mamba2",     "gated_delta",
          "kimi_delta", "lightning", "short_conv", "rg_lru"};
}
constexpr EnumNames<Mixer> names_of(Mixer) {
  return {"",
          "attention",
          "local_attention",
          "recurrent",
          "beside",
          "reused_keys",
          "encoder",
          "cross",
          "shared",
          "shared_again",
          "encoder_again",
          "local_encoder",
          "chosen_keys",
          "all_keys"};
}
constexpr EnumNames<Feedforward> names_of(Feedforward) { return {"", "dense", "experts"}; }

namespace model_forms {

inline constexpr Form kLayers = form::whole(1, 100'000, "layers");
inline constexpr Form kNoLayers = form::whole(0, 100'000, "layers");
inline constexpr Form kHeads = form::whole(1, 100'000, "heads");
inline constexpr Form kExperts = form::whole(1, 1'000'000, "experts");
inline constexpr Form kNoExperts = form::whole(0, 1'000'000, "experts");
inline constexpr Form kWidth = form::whole(1, 100'000'000, "elements");
inline constexpr Form kTokens = form::whole(1, 1'000'000'000, "tokens");
inline constexpr Form kFewProjectors = form::whole(1, 12, "projectors");  // kMaxOperators
inline constexpr Form kSwitch = form::boolean();

}  // namespace model_forms

inline constexpr auto kCountRows = [] {
  using namespace model_forms;
  using A = Architecture;
  using L = LatentAttention;
  using M = MixtureOfExperts;
  return keys<A>(
      fact<&A::layers>("num_hidden_layers", kLayers, kRequired, "transformer layers"),
      fact<&A::hidden>("hidden_size", kWidth, kRequired, "width of the residual stream"),
      fact<&A::heads>("num_attention_heads", kHeads, kRequired, "query heads"),
      fact<&A::kv_heads>("num_key_value_heads", kHeads, otherwise("num_attention_heads"),
                         "key and value heads; divides the query heads"),
      fact<&A::head_dim>("head_dim", kWidth, otherwise("hidden_size / num_attention_heads"),
                         "width of a query and key head"),
      fact<&A::intermediate>("intermediate_size", kWidth, kNothing,
                             "width of a dense MLP; none if every layer has experts"),
      fact<&A::vocab>("vocab_size", kTokens, kRequired, "as published, not padded"),
      fact<&A::max_positions>("max_position_embeddings", kTokens, kNothing,
                              "rows of the learned position table; else the intended length"),
      fact_in<&A::mla, &L::q_lora_rank>("q_lora_rank", kWidth, kNothing,
                                        "latent attention: width of the compressed query"),
      fact_in<&A::mla, &L::kv_lora_rank>("kv_lora_rank", kWidth, kNothing,
                                         "latent attention: width of the compressed key and value"),
      fact_in<&A::mla, &L::qk_nope_head_dim>("qk_nope_head_dim", kWidth, kNothing,
                                             "part of a query and key head without position"),
      fact_in<&A::mla, &L::qk_rope_head_dim>("qk_rope_head_dim", kWidth, kNothing,
                                             "part with RoPE; all heads share its key"),
      fact_in<&A::mla, &L::v_head_dim>("v_head_dim", kWidth, kNothing, "width of a value head"),
      fact<&A::sliding_window>("sliding_window", kTokens, kNothing,
                               "a query sees so many last keys, itself included"),
      fact<&A::attention_chunk_size>("attention_chunk_size", kTokens, kNothing,
                                     "a query sees the keys of its own chunk of so many tokens"),
      fact<&A::sliding_window_pattern>("sliding_window_pattern", kLayers, kNothing,
                                       "every so many layers one sees all keys"),
      fact_in<&A::moe, &M::experts>("num_local_experts", kExperts, kNothing,
                                    "routed experts of a layer; none: the model is dense"),
      fact_in<&A::moe, &M::top_k>("num_experts_per_tok", kExperts, kNothing,
                                  "routed experts of a token"),
      fact_in<&A::moe, &M::expert_intermediate>("moe_intermediate_size", kWidth,
                                                otherwise("intermediate_size"),
                                                "width of one routed expert"),
      fact_in<&A::moe, &M::shared_experts>("n_shared_experts", kNoExperts, otherwise("0"),
                                           "experts that every token uses"),
      fact_in<&A::moe, &M::shared_intermediate>(
          "moe_shared_expert_intermediate_size", kWidth,
          otherwise("n_shared_experts · moe_intermediate_size"),
          "width of all shared experts together"),
      fact_in<&A::moe, &M::first_k_dense>("first_k_dense_replace", kNoLayers, otherwise("0"),
                                          "the first so many layers have the dense MLP"),
      fact_in<&A::moe, &M::layer_freq>("moe_layer_freq", kLayers, otherwise("1"),
                                       "of the other layers, every so many has experts"),
      fact_in<&A::moe, &M::layer_offset>("moe_layer_offset", kNoLayers, otherwise("0"),
                                         "the first of those"),
      fact_in<&A::moe, &M::groups>("n_group", kExperts, kNothing,
                                   "groups that the routed experts form; divides their number"),
      fact_in<&A::moe, &M::top_groups>("topk_group", kExperts, kNothing,
                                       "groups that a token's experts are chosen from"),
      fact<&A::mtp_layers>("num_nextn_predict_layers", kNoLayers, otherwise("0"),
                           "layers that predict further tokens"));
}();

inline constexpr auto kFlagRows = [] {
  using namespace model_forms;
  using A = Architecture;
  using M = MixtureOfExperts;
  return keys<A>(
      fact<&A::qkv_bias>("attention_bias", kSwitch, otherwise("bias"),
                         "queries, keys and values have a bias"),
      fact<&A::attention_out_bias>("attention_output_bias", kSwitch, otherwise("attention_bias"),
                                   "so has the output projection of attention"),
      fact<&A::mlp_bias>("mlp_bias", kSwitch, otherwise("bias"), "MLPs and experts have a bias"),
      fact<&A::qk_norm>("qk_norm", kSwitch, otherwise("false"),
                        "queries and keys are normalised, per head"),
      fact<&A::attention_sinks>("attention_sinks", kSwitch, otherwise("false"),
                                "one learned logit per query head"),
      fact_in<&A::moe, &M::router_bias>("router_bias", kSwitch, otherwise("false"),
                                        "the router's linear layer has a bias"),
      fact_in<&A::moe, &M::router_correction_bias>("router_correction_bias", kSwitch,
                                                   otherwise("false"),
                                                   "a bias per expert is added to its score"),
      fact<&A::embedding_norm>("embedding_norm", kSwitch, otherwise("false"),
                               "a norm right after the word embedding"),
      fact<&A::parallel_residual>("use_parallel_residual", kSwitch, otherwise("false"),
                                  "attention and MLP read the same input"),
      fact<&A::tie_word_embeddings>("tie_word_embeddings", kSwitch, otherwise("hidden_act's"),
                                    "the head's weights are the word embedding's"));
}();

// Keys that few models need: written only if they differ from the default.
inline constexpr auto kVariantRows = [] {
  using namespace model_forms;
  using A = Architecture;
  using M = MixtureOfExperts;
  using R = Recurrent;
  return keys<A>(
      fact<&A::norm_placement>("norm_placement", form::one_of<NormPlacement>(), otherwise("pre"),
                               "norms before attention and MLP, after both, or sandwich: both"),
      fact<&A::shared_norm>("shared_norm", kSwitch, otherwise("false"),
                            "attention and MLP of a parallel residual share one norm"),
      fact<&A::no_final_norm>("no_final_norm", kSwitch, otherwise("false"),
                              "no norm after the last layer"),
      fact<&A::qk_norm_whole>("qk_norm_whole", kSwitch, otherwise("false"),
                              "queries and keys are normalised over all heads together"),
      fact<&A::attention_gate_dim>("attention_gate_dim", kWidth, kNothing,
                                   "outputs of a head's gate on the output of attention"),
      fact<&A::shared_rank>("shared_adapter_rank", kWidth, kNothing,
                            "rank of the matrices of each use of a shared block, beside its MLP"),
      fact<&A::shared_rank_of_attention>("shared_attention_adapter", kSwitch, otherwise("false"),
                                         "and beside its queries, keys and values"),
      fact<&A::embedding_size>("embedding_size", kWidth, kNothing,
                               "width of the embedding's tables, projected to hidden_size"),
      fact<&A::qk_norm_bias>("qk_norm_bias", kSwitch, otherwise("false"),
                             "norms of queries and keys have a bias"),
      fact<&A::activation_weights>("activation_weights", kWidth, kNothing,
                                   "learned numbers of the function inside an MLP"),
      fact<&A::inner_norms>("inner_norms", kSwitch, otherwise("false"),
                            "norms before the last products of attention and MLP"),
      fact<&A::output_rank>("o_lora_rank", kWidth, kNothing,
                            "width of a group of a low-rank output projection; none: full rank"),
      fact<&A::output_groups>("o_groups", kHeads, kNothing,
                              "groups of heads that it compresses apart"),
      fact<&A::keys_are_values>("keys_are_values", kSwitch, otherwise("false"),
                                "one projection gives keys and values"),
      fact_in<&A::indexer, &Indexer::heads>("index_n_heads", kHeads, kNothing,
                                            "heads of the scorer of sparse attention"),
      fact_in<&A::indexer, &Indexer::head_dim>("index_head_dim", kWidth, kNothing,
                                               "width of one of them"),
      fact_in<&A::indexer, &Indexer::top_k>("index_topk", kTokens, kNothing,
                                            "keys that sparse attention keeps for a query"),
      fact_in<&A::indexer, &Indexer::block>("index_block_size", kTokens, kNothing,
                                            "keys that it chooses together; none: each apart"),
      fact_in<&A::moe, &M::latent>("moe_latent_size", kWidth, kNothing,
                                   "width that routed experts work in; none: hidden_size"),
      fact_in<&A::moe, &M::shared_gate>("shared_expert_gate", kSwitch, otherwise("false"),
                                        "a learned gate on the shared experts"),
      fact_in<&A::recurrent, &R::kind>("recurrent", form::one_of<RecurrentKind>(),
                                       otherwise("none"), "the layers that carry a state"),
      fact_in<&A::recurrent, &R::key_heads>("linear_num_key_heads", kHeads, kNothing,
                                            "their key heads; Mamba-2: groups"),
      fact_in<&A::recurrent, &R::key_head_dim>("linear_key_head_dim", kWidth, kNothing,
                                               "width of a key head; Mamba: the state"),
      fact_in<&A::recurrent, &R::value_heads>("linear_num_value_heads", kWidth, kNothing,
                                              "their value heads; Mamba: channels"),
      fact_in<&A::recurrent, &R::value_head_dim>("linear_value_head_dim", kWidth, kNothing,
                                                 "width of a value head"),
      fact_in<&A::recurrent, &R::conv_kernel>("linear_conv_kernel_dim", kLayers, kNothing,
                                              "tokens that their convolution sees"),
      fact_in<&A::recurrent, &R::chunk>("linear_chunk_size", kTokens, kNothing,
                                        "tokens that their kernel takes at once"),
      fact_in<&A::recurrent, &R::rank>("linear_rank", kWidth, kNothing,
                                       "Mamba: rank of the time step; Kimi: of the gate; RG-LRU: "
                                       "width of a block of its gates"),
      fact_in<&A::recurrent, &R::conv_bias>("linear_conv_bias", kSwitch, otherwise("false"),
                                            "their convolution has a bias"),
      fact_in<&A::recurrent, &R::projection_bias>("linear_projection_bias", kSwitch,
                                                  otherwise("false"), "so have their projections"),
      fact_in<&A::recurrent, &R::gated_norm>("linear_gated_norm", kSwitch, otherwise("false"),
                                             "a norm with weights before their output"),
      fact_in<&A::recurrent, &R::inner_norms>(
          "linear_inner_norms", kSwitch, otherwise("false"),
          "Mamba: norms of the time step and of what enters the state"),
      fact_in<&A::moe, &M::pads_to_capacity>(
          "moe_pad_expert_input_to_capacity", kSwitch, otherwise("true"),
          "experts compute as many tokens as the capacity allows, whatever reaches them"),
      fact_in<&A::tower, &Tower::layers>("vision_num_hidden_layers", kLayers, kNothing,
                                         "layers of an encoder of images; training.images runs it"),
      fact_in<&A::tower, &Tower::hidden>("vision_hidden_size", kWidth, kNothing,
                                         "width of its residual stream"),
      fact_in<&A::tower, &Tower::heads>("vision_num_attention_heads", kHeads, kNothing,
                                        "its heads"),
      fact_in<&A::tower, &Tower::intermediate>("vision_intermediate_size", kWidth, kNothing,
                                               "width of its MLP"),
      fact_in<&A::tower, &Tower::patch>("vision_patch_values", kWidth, kNothing,
                                        "numbers of a patch of an image"),
      fact_in<&A::tower, &Tower::positions>("vision_positions", kTokens, kNothing,
                                            "rows of its table of positions; none: rotary"),
      fact_in<&A::tower, &Tower::interpolated>("vision_interpolated", kSwitch, otherwise("false"),
                                               "its table is interpolated to the grid of any "
                                               "image"),
      fact_in<&A::tower, &Tower::merge>("vision_merged_patches", kTokens, otherwise("1"),
                                        "patches that become one token"),
      fact_in<&A::tower, &Tower::projector_input>("vision_projector_input", kWidth, kNothing,
                                                  "width that enters its projector"),
      fact_in<&A::tower, &Tower::projector_inner>("vision_projector_inner", kWidth, kNothing,
                                                  "width within the projector"),
      fact_in<&A::tower, &Tower::projector_second>("vision_projector_second", kWidth, kNothing,
                                                   "a second one within"),
      fact_in<&A::tower, &Tower::deeper_projectors>("vision_deeper_projectors", kFewProjectors,
                                                    kNothing, "projectors of earlier layers"),
      fact_in<&A::tower, &Tower::norm>("vision_norm", form::one_of<Norm>(), otherwise("layernorm"),
                                       "its norms"),
      fact_in<&A::tower, &Tower::projector_norm>(
          "vision_projector_norm", form::one_of<Norm>(), otherwise("layernorm_bare"),
          "the norm before its projector; layernorm_bare: none"),
      fact_in<&A::tower, &Tower::gated>("vision_gated", kSwitch, otherwise("false"),
                                        "its MLP has a gate"),
      fact_in<&A::tower, &Tower::bias>("vision_bias", kSwitch, otherwise("false"),
                                       "its layers' linear layers have biases"),
      fact_in<&A::tower, &Tower::patch_bias>("vision_patch_bias", kSwitch, otherwise("false"),
                                             "the projection of its patches has one"),
      fact_in<&A::tower, &Tower::norm_before>("vision_norm_before", kSwitch, otherwise("false"),
                                              "a norm before its first layer"),
      fact_in<&A::tower, &Tower::norm_after>("vision_norm_after", kSwitch, otherwise("false"),
                                             "a norm after its last layer"),
      fact_in<&A::tower, &Tower::projector_bias>("vision_projector_bias", kSwitch,
                                                 otherwise("false"), "its projector has biases"),
      fact<&A::output>("output", form::one_of<ModelOutput>(), otherwise("vocabulary"),
                       "after the last layer: logits, a pooler, or nothing"),
      fact<&A::head_bias>("head_bias", kSwitch, otherwise("false"), "the head has a bias"),
      fact<&A::token_types>("type_vocab_size", kTokens, kNothing, "rows of the segments' table"),
      fact<&A::relative_buckets>("relative_attention_num_buckets", kTokens, kNothing,
                                 "distances that relative positions tell apart"));
}();

inline constexpr Form kLayerKindText =
    form::text("attention+dense, recurrent+experts, experts, …", "^[a-z_]+(\\+(dense|experts))?$");

// Read by functions of their own.
inline constexpr auto kOtherModelRows = keys<Architecture>(
    kSourceKey, kSourcesKey,
    elsewhere("name", form::text("a name"), kNothing, Vary::never, "its name"),
    elsewhere("stated_parameters", form::number(1, 1e18, "parameters"), kNothing, Vary::never,
              "as published; checked, never used"),
    elsewhere("rope_theta", form::number(1, 1e12, "base"), kNothing, Vary::never,
              "base of rotary positions; kept for exports, costs nothing"),
    elsewhere("hidden_act", form::one_of(kHiddenActNames), otherwise("gelu"), Vary::never,
              "the function inside the MLP, and the habits that go with it"),
    elsewhere("norm", form::one_of<Norm>(), otherwise("hidden_act's"), Vary::never,
              "LayerNorm or RMSNorm"),
    elsewhere("bias", form::boolean(), otherwise("hidden_act's"), Vary::never,
              "linear layers have a bias"),
    elsewhere("position_embedding", form::one_of<PositionEmbedding>(), otherwise("hidden_act's"),
              Vary::never, "learned, rotary, linear biases, none, or a table of distances"),
    elsewhere("dropout", either(form::boolean(), form::number(0, 1, "probability")),
              otherwise("the framework's"), Vary::never,
              "on attention probabilities and both residual branches"),
    elsewhere("layer_pattern", form::list(kLayerKindText, 1, kMaxPattern), kNothing, Vary::never,
              "kinds of the layers, repeated: a mixer, +, dense or experts"),
    elsewhere("moe_expert_capacity_factor", form::number(0.01, 1e6, "times the mean"), kNothing,
              Vary::never, "cap on tokens per expert; none: dropless"),
    elsewhere("trunk", form::object(kTrunkKeys), kNothing, Vary::never,
              "a model that is no text decoder: kinds of layers as data; it stands for all but "
              "name and sources"),
    elsewhere("config", form::any("a config.json of transformers or diffusers, as published"),
              kNothing, Vary::never, "likewise, as its authors write it"),
    elsewhere("num_experts", model_forms::kExperts, kNothing, Vary::never,
              "another name of num_local_experts"),
    elsewhere("n_routed_experts", model_forms::kExperts, kNothing, Vary::never,
              "another name of num_local_experts"));

inline constexpr auto kModelRows = joined(kOtherModelRows, kCountRows, kFlagRows, kVariantRows);
inline constexpr KeyTable kModelKeys{
    "", kModelRows, {.foreign_key = "model_type _class_name config trunk"}};

}  // namespace orrery
