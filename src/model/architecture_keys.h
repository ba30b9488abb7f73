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

constexpr EnumNames<Norm> names_of(Norm) { return {"layernorm", "rmsnorm"}; }
constexpr EnumNames<PositionEmbedding> names_of(PositionEmbedding) {
  return {"learned", "rope", "alibi"};
}

namespace model_forms {

inline constexpr Form kLayers = form::whole(1, 100'000, "layers");
inline constexpr Form kNoLayers = form::whole(0, 100'000, "layers");
inline constexpr Form kHeads = form::whole(1, 100'000, "heads");
inline constexpr Form kExperts = form::whole(1, 1'000'000, "experts");
inline constexpr Form kNoExperts = form::whole(0, 1'000'000, "experts");
inline constexpr Form kWidth = form::whole(1, 100'000'000, "elements");
inline constexpr Form kTokens = form::whole(1, 1'000'000'000, "tokens");
inline constexpr Form kSwitch = form::boolean();
inline constexpr Otherwise kDefault = otherwise("", "docs/models.md");

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

// Read by functions of their own.
inline constexpr auto kOtherModelRows = keys<Architecture>(
    kSourceKey, kSourcesKey,
    elsewhere("name", form::text("a name"), kNothing, Vary::never, "its name"),
    elsewhere("stated_parameters", form::number(1, 1e18, "parameters"), kNothing, Vary::never,
              "as published; checked, never used"),
    elsewhere("hidden_act", form::one_of(kHiddenActNames), otherwise("gelu"), Vary::never,
              "the function inside the MLP, and the habits that go with it"),
    elsewhere("norm", form::one_of<Norm>(), otherwise("hidden_act's"), Vary::never,
              "LayerNorm or RMSNorm"),
    elsewhere("bias", form::boolean(), otherwise("hidden_act's"), Vary::never,
              "linear layers have a bias"),
    elsewhere("position_embedding", form::one_of<PositionEmbedding>(), otherwise("hidden_act's"),
              Vary::never, "learned, rotary or linear biases"),
    elsewhere("dropout", either(form::boolean(), form::number(0, 1, "probability")),
              otherwise("the framework's"), Vary::never,
              "on attention probabilities and both residual branches"),
    elsewhere("moe_expert_capacity_factor", form::number(0.01, 1e6, "times the mean"), kNothing,
              Vary::never, "cap on tokens per expert; none: dropless"),
    elsewhere("num_experts", model_forms::kExperts, kNothing, Vary::never,
              "another name of num_local_experts"),
    elsewhere("n_routed_experts", model_forms::kExperts, kNothing, Vary::never,
              "another name of num_local_experts"));

inline constexpr auto kModelRows = joined(kOtherModelRows, kCountRows, kFlagRows);
inline constexpr KeyTable kModelKeys{"", kModelRows, {.foreign_key = "model_type"}};

}  // namespace orrery
