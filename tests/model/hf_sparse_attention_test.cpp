// SPDX-License-Identifier: Apache-2.0
// Hugging Face's config.json of models whose layers choose the keys they see: which layers have an
// indexer, which use an earlier one's choice, which attend to all keys.
#include <doctest/doctest.h>

#include "model/model_files.h"
#include "model/operators.h"

namespace orrery {
namespace {

std::string repeated(const std::string& item, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += (i > 0 ? ", " : "") + item;
  return all;
}

// A letter a layer: c chooses, s shares a choice, a sees all keys.
std::string choices(const Architecture& a) {
  std::string all;
  for (std::int64_t i = 0; i < a.layers; ++i) {
    const Mixer mixer = layer_kind(a, layer_type(a, i)).mixer;
    all += mixer == Mixer::attention     ? 'c'
           : mixer == Mixer::chosen_keys ? 's'
           : mixer == Mixer::all_keys    ? 'a'
                                         : '?';
  }
  return all;
}

const std::string kLatent =
    R"({"model_type": "glm_moe_dsa", "hidden_size": 64, "num_hidden_layers": 10,
        "n_routed_experts": 8, "num_attention_heads": 4, "q_lora_rank": 16, "kv_lora_rank": 8,
        "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "vocab_size": 100,
        "index_n_heads": 2, "index_head_dim": 8, "index_topk": 32)";

const std::string kGrouped =
    R"({"model_type": "minimax_m3_vl", "text_config": {"hidden_size": 64, "num_hidden_layers": 4,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 8, "vocab_size": 100,
        "intermediate_size": 16, "dense_intermediate_size": 32, "shared_intermediate_size": 16,
        "num_local_experts": 4, "num_experts_per_tok": 2)";

const std::string kBlocks =
    R"(, "sparse_attention_config": {"use_sparse_attention": true, "sparse_num_index_heads": 2,
        "sparse_index_dim": 8, "sparse_topk_blocks": 4, "sparse_block_size": 16)";

std::int64_t total(const std::string& text) {
  return parameter_count(model_of(text).architecture, 256).total;
}

const Operator* find_operator(const Block& block, OpName name) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == name) return &block.operators[i];
  }
  return nullptr;
}

}  // namespace

// full where max(i - offset + 1, 0) mod freq is 0: configuration_glm_moe_dsa.py
TEST_CASE("GLM-5.2's layers share an indexer by list, by letters, or by period") {
  const auto read = [](const std::string& rest) {
    return choices(model_of(kLatent + rest + "}").architecture);
  };
  CHECK(read("") == "cccccccccc");
  CHECK(read(R"(, "index_topk_freq": 1, "index_skip_topk_offset": 3)") == "cccccccccc");
  CHECK(read(R"(, "index_topk_freq": 4, "index_skip_topk_offset": 3)") == "cccssscsss");
  CHECK(read(R"(, "index_topk_freq": 4)") == "ccssscsssc");
  CHECK(read(R"(, "index_topk_pattern": "FFSSFSSSFS", "index_topk_freq": 4)") == "ccsscssscs");
  CHECK(read(R"(, "index_topk_freq": 4, "indexer_types": ["full", "shared", "full", "shared",
                 "full", "shared", "full", "shared", "full", "shared", "full"])") == "cscscscscs");
  CHECK(
      says(refusal(kLatent + R"(, "indexer_types": ["full"]})"), "indexer_types: found 1 layers"));
  CHECK(says(refusal(kLatent + ", \"indexer_types\": [" + repeated("\"half\"", 10) + "]}"),
             "indexer_types[0]: found \"half\""));
  CHECK(says(refusal(kLatent + ", \"indexer_types\": [" + repeated("\"shared\"", 10) + "]}"),
             "in an earlier layer"));
}

TEST_CASE("a shared indexer has no weights and scores no pairs") {
  // 16·2·8 + 64·8 + 64·2 + 2·8 numbers of an indexer
  constexpr std::int64_t kIndexer = 16 * 2 * 8 + 64 * 8 + 64 * 2 + 2 * 8;
  const std::string shared = kLatent + R"(, "index_topk_freq": 4})";
  CHECK(total(kLatent + "}") - total(shared) == 6 * kIndexer);
  const Architecture a = model_of(shared).architecture;
  ListOptions options;
  options.sequence = 256;
  const ModelOperators model = model_operators(a, options);
  const Block& own = model.layers[layer_type(a, 5)];
  const Block& other = model.layers[layer_type(a, 4)];
  CHECK(find_operator(own, OpName::index_scores) != nullptr);
  CHECK(find_operator(other, OpName::index_scores) == nullptr);
  CHECK(find_operator(other, OpName::attention)->masked_pairs ==
        find_operator(own, OpName::attention)->masked_pairs);
}

TEST_CASE("layer_types as transformers 5 writes them are read for sparse attention") {
  const std::string words = ", \"layer_types\": [" + repeated("\"deepseek_sparse_attention\"", 10);
  const std::string rest = R"(, "index_topk_pattern": null, "dtype": "bfloat16",
      "rope_parameters": {"rope_theta": 8000000, "rope_type": "default"}, "head_dim": 4})";
  const ModelDescription model = model_of(kLatent + words + "]" + rest);
  CHECK(choices(model.architecture) == "cccccccccc");
  CHECK(model.dtype == "bfloat16");
  CHECK(model.ignored_keys.empty());
  CHECK(says(refusal(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                         "num_hidden_layers": 1, "layer_types": ["deepseek_sparse_attention"]})"),
             "layer_types: found sparse attention; allowed: index_n_heads"));
}

TEST_CASE("MiniMax-M3's first layers see all keys by either file, and nested as it is") {
  const std::string legacy =
      kGrouped + kBlocks +
      R"(, "sparse_attention_freq": [0, 1, 1, 1]}, "moe_layer_freq": [0, 1, 1, 1],
      "model_type": "", "hidden_act": "swigluoai", "qk_norm_type": "per_head"}})";
  const std::string fifth =
      kGrouped + R"(, "model_type": "minimax_m3_vl_text", "hidden_act": "silu",
      "index_n_heads": 2, "index_head_dim": 8, "index_topk_blocks": 4, "index_block_size": 16,
      "layer_types": ["full_attention", "minimax_m3_sparse", "minimax_m3_sparse",
      "minimax_m3_sparse"], "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"]}})";
  const Architecture a = model_of(legacy).architecture;
  CHECK(choices(a) == "accc");
  CHECK(a == model_of(fifth).architecture);
  CHECK(a.indexer == Indexer{2, 8, 64, 16});
  CHECK(a.qk_norm);
  CHECK_FALSE(a.qk_norm_whole);
  CHECK(a.intermediate == 32);
  CHECK(a.moe.expert_intermediate == 16);
  CHECK(a.moe.shared_intermediate == 16);
  CHECK(layer_kind(a, 0).feedforward == Feedforward::dense);
  // 64·2·8 + 64·8 + 2·8 numbers of an indexer, whose heads are not weighed
  const std::string all = kGrouped + R"(, "moe_layer_freq": [0, 1, 1, 1]}})";
  CHECK(choices(model_of(all).architecture) == "cccc");
  CHECK(model_of(all).architecture.indexer.heads == 0);
  CHECK(total(legacy) - total(all) == 3 * (64 * 2 * 8 + 64 * 8 + 2 * 8));
  CHECK(says(refusal(kGrouped + R"(, "attention_output_gate": true}})"),
             "attention_output_gate: found true"));
}

TEST_CASE("attention to chosen blocks sees as many keys as they hold, and that to all sees all") {
  const Architecture a = model_of(kGrouped + kBlocks + R"(, "sparse_attention_freq": [0, 1, 1, 1]},
               "moe_layer_freq": [0, 1, 1, 1]}})")
                             .architecture;
  ListOptions options;
  options.sequence = 256;
  const ModelOperators model = model_operators(a, options);
  const Operator* all = find_operator(model.layers[layer_type(a, 0)], OpName::attention);
  const Operator* some = find_operator(model.layers[layer_type(a, 1)], OpName::attention);
  REQUIRE(all != nullptr);
  REQUIRE(some != nullptr);
  CHECK(all->masked_pairs == doctest::Approx(257.0 / 512));
  // the first 64 queries see 1 to 64 keys, the other 192 see 64
  CHECK(some->masked_pairs == doctest::Approx((64 * 65 / 2 + 192 * 64) / (256.0 * 256)));
}

TEST_CASE("an indexer of grouped queries needs a family that is known to have one") {
  CHECK(says(refusal(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                         "index_n_heads": 4, "index_head_dim": 8, "index_topk": 16})"),
             "index_n_heads: found it without kv_lora_rank"));
  CHECK(says(refusal(R"({"model_type": "newcomer", "hidden_size": 64, "num_attention_heads": 4,
                         "num_hidden_layers": 2, "vocab_size": 100, "intermediate_size": 32,
                         "rms_norm_eps": 1e-6, "sparse_attention_config": {
                         "sparse_topk_blocks": 4, "sparse_block_size": 16}})"),
             "not understood"));
}

}  // namespace orrery
