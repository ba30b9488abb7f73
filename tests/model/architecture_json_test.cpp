// SPDX-License-Identifier: Apache-2.0
// Our own model files: defaults by activation, refusals, and the files that are shipped.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "model/model_files.h"

namespace orrery {
namespace {

const std::string kShape =
    R"("num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 8, "vocab_size": 1000)";

std::string model_text(const std::string& rest) { return "{" + kShape + ", " + rest + "}"; }

std::vector<std::string> assumed_keys(const ModelDescription& model) {
  std::vector<std::string> keys;
  for (const AssumedValue& v : model.assumed) keys.push_back(v.key);
  return keys;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ORRERY_CONFIG_DIR "/models")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("four numbers are a GPT") {
  const ModelDescription model = model_of("{" + kShape + "}");
  const Architecture& a = model.architecture;
  CHECK(a.kv_heads == 8);
  CHECK(a.head_dim == 8);
  CHECK(a.intermediate == 256);
  CHECK(a.norm == Norm::kLayerNorm);
  CHECK(a.positions == PositionEmbedding::kLearned);
  CHECK(a.qkv_bias);
  CHECK(a.attention_out_bias);
  CHECK(a.mlp_bias);
  CHECK(a.dropout);
  CHECK(a.tie_word_embeddings);
  CHECK(a.max_positions == 0);
  CHECK_FALSE(is_moe(a));
  CHECK(assumed_keys(model) == std::vector<std::string>{"hidden_act", "norm", "position_embedding",
                                                        "bias", "tie_word_embeddings", "dropout",
                                                        "num_key_value_heads", "head_dim",
                                                        "intermediate_size"});
}

TEST_CASE("hidden_act decides what is absent") {
  const struct {
    const char* act;
    bool gated, rms, bias, learned, tied, dropout;
  } rows[] = {
      {"gelu", false, false, true, true, true, true},
      {"relu", false, false, true, true, true, true},
      {"relu2", false, false, false, false, false, false},
      {"swiglu", true, true, false, false, false, false},
      {"geglu", true, true, false, false, false, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.act);
    const Architecture a = model_of(model_text("\"intermediate_size\": 96, \"hidden_act\": \"" +
                                               std::string(row.act) + "\""))
                               .architecture;
    CHECK(hidden_act_name(a) == row.act);
    CHECK(a.gated == row.gated);
    CHECK((a.norm == Norm::kRmsNorm) == row.rms);
    CHECK(a.qkv_bias == row.bias);
    CHECK(a.mlp_bias == row.bias);
    CHECK((a.positions == PositionEmbedding::kLearned) == row.learned);
    CHECK(a.tie_word_embeddings == row.tied);
    CHECK(a.dropout == row.dropout);
  }
}

TEST_CASE("what the file says beats the default and is not listed as assumed") {
  const ModelDescription model = model_of(model_text(
      R"("hidden_act": "gelu", "bias": false, "position_embedding": "alibi", "norm": "rmsnorm",
         "dropout": 0.1, "tie_word_embeddings": false, "num_key_value_heads": 2, "head_dim": 32,
         "intermediate_size": 100)"));
  CHECK(model.assumed.empty());
  CHECK_FALSE(model.architecture.mlp_bias);
  CHECK(model.architecture.dropout);
  CHECK(model.architecture.head_dim == 32);
}

TEST_CASE("ALiBi and RoPE models have no dropout unless they say so") {
  CHECK_FALSE(model_of(model_text(R"("position_embedding": "alibi")")).architecture.dropout);
  CHECK(model_of(model_text(R"("position_embedding": "alibi", "dropout": true)"))
            .architecture.dropout);
}

TEST_CASE("a dropout probability of zero is no dropout") {
  CHECK_FALSE(model_of(model_text(R"("dropout": 0)")).architecture.dropout);
  CHECK(model_of(model_text(R"("dropout": 0.1)")).architecture.dropout);
}

TEST_CASE("the MLP alone may go without the bias of all") {
  const Architecture a = model_of(model_text(R"("bias": true, "mlp_bias": false)")).architecture;
  CHECK(a.qkv_bias);
  CHECK_FALSE(a.mlp_bias);
}

TEST_CASE("a bias of one place overrides the bias of all") {
  const Architecture a =
      model_of(model_text(R"("bias": true, "attention_bias": false)")).architecture;
  CHECK_FALSE(a.qkv_bias);
  CHECK_FALSE(a.attention_out_bias);
  CHECK(a.mlp_bias);
  const Architecture b = model_of(model_text(R"("bias": false, "attention_bias": true,
                             "attention_output_bias": false)"))
                             .architecture;
  CHECK(b.qkv_bias);
  CHECK_FALSE(b.attention_out_bias);
  CHECK_FALSE(b.mlp_bias);
}

TEST_CASE("experts: the width of one is intermediate_size unless given") {
  const Architecture a = model_of(model_text(R"("hidden_act": "swiglu", "num_local_experts": 4,
                             "num_experts_per_tok": 2, "intermediate_size": 96)"))
                             .architecture;
  CHECK(a.moe.expert_intermediate == 96);
  CHECK(a.intermediate == 0);
  CHECK(a.moe.layer_freq == 1);
  const Architecture b =
      model_of(model_text(R"("hidden_act": "swiglu", "n_routed_experts": 4, "moe_layer_freq": 2,
                             "num_experts_per_tok": 2, "intermediate_size": 96, "bias": false,
                             "moe_intermediate_size": 32, "n_shared_experts": 2)"))
          .architecture;
  CHECK(b.intermediate == 96);
  CHECK(b.moe.shared_intermediate == 64);
  CHECK(is_moe_layer(b, 0));
  CHECK_FALSE(is_moe_layer(b, 1));
}

TEST_CASE("latent attention: head_dim may name any of its parts") {
  const std::string mla =
      R"("hidden_act": "swiglu", "intermediate_size": 96, "kv_lora_rank": 16,
         "qk_nope_head_dim": 12, "qk_rope_head_dim": 4, "v_head_dim": 10)";
  const Architecture a = model_of(model_text(mla)).architecture;
  CHECK(a.attention == AttentionKind::kLatent);
  CHECK(a.head_dim == 16);
  CHECK(value_head_dim(a) == 10);
  CHECK(a.kv_heads == a.heads);
  for (const char* width : {"4", "10", "12", "16"}) {
    CHECK(model_of(model_text(mla + ", \"head_dim\": " + width)).architecture == a);
  }
  CHECK(says(refusal(model_text(mla + R"(, "head_dim": 64)")), "head_dim: found 64"));
}

TEST_CASE("a faulty model is refused in one line that names the key") {
  const struct {
    const char* rest;
    const char* part;
  } rows[] = {
      {R"("num_hiden_layers": 3)", "did you mean \"num_hidden_layers\"?"},
      {R"("hidden_act": "silu")", "gelu, relu, relu2, swiglu or geglu"},
      {R"("hidden_act": "swiglu")", "intermediate_size: found nothing"},
      {R"("norm": "batchnorm")", "layernorm, rmsnorm, layernorm_unbiased or layernorm_bare"},
      {R"("position_embedding": "sinus")", "learned, rope, alibi, none or relative"},
      {R"("dropout": 2)", "dropout: found 2"},
      {R"("dropout": "yes")", "dropout: found \"yes\""},
      {R"("bias": 1)", "bias: found 1; allowed: true or false"},
      {R"("num_key_value_heads": 0)", "num_key_value_heads: found 0"},
      {R"("num_key_value_heads": 3)", "a divisor of num_attention_heads, which is 8"},
      {R"("num_key_value_heads": -8)", "num_key_value_heads: found -8"},
      {R"("head_dim": 1.5)", "head_dim: found 1.5"},
      {R"("intermediate_size": "wide")", "intermediate_size: found \"wide\""},
      {R"("max_position_embeddings": 0)", "max_position_embeddings: found 0"},
      {R"("num_local_experts": 4)", "num_experts_per_tok: found nothing"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 5, "moe_intermediate_size": 8)",
       "at most num_local_experts, which is 4"},
      {R"("num_local_experts": 4, "num_experts": 4)", "the number of experts twice"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 1)", "moe_intermediate_size"},
      {R"("num_experts_per_tok": 2)", "num_experts_per_tok: found it without num_local_experts"},
      {R"("n_shared_experts": 1)", "n_shared_experts: found it without num_local_experts"},
      {R"("router_bias": true)", "router_bias: found it without num_local_experts"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 8,
          "first_k_dense_replace": 4)",
       "first_k_dense_replace: found no layer with experts"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 8,
          "moe_layer_offset": 1)",
       "less than moe_layer_freq, which is 1"},
      {R"("num_local_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 8,
          "moe_expert_capacity_factor": 0)",
       "moe_expert_capacity_factor: found 0"},
      {R"("v_head_dim": 8)", "v_head_dim: found it without kv_lora_rank"},
      {R"("kv_lora_rank": 8)", "qk_nope_head_dim: found nothing"},
      {R"("kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8,
          "num_key_value_heads": 2)",
       "8, as many as heads"},
      {R"("kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8,
          "qk_norm": true)",
       "qk_norm: found true with kv_lora_rank"},
      {R"("sliding_window": 8, "attention_chunk_size": 8)", "it beside sliding_window"},
      {R"("sliding_window_pattern": 2)", "sliding_window_pattern: found it without sliding_window"},
      {R"("stated_parameters": "7B")", "stated_parameters: found \"7B\""},
      {R"("name": 3)", "name: found 3"},
  };
  for (const auto& row : rows) {
    const std::string line = refusal(model_text(row.rest));
    CAPTURE(row.rest);
    CAPTURE(line);
    CHECK(says(line, "m.json: "));
    CHECK(says(line, row.part));
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("what is required is named and what is no model is refused") {
  CHECK(says(refusal("{}"), "num_hidden_layers: found nothing"));
  CHECK(says(refusal("[]"), "an object"));
  CHECK(says(refusal("3"), "an object"));
  CHECK(says(refusal(R"({"num_hidden_layers": 2, "hidden_size": 65, "num_attention_heads": 8,
                         "vocab_size": 10})"),
             "hidden_size 65 is no multiple of num_attention_heads 8"));
  CHECK(says(refusal(R"({"num_hidden_layers": 100000, "hidden_size": 100000000,
                         "num_attention_heads": 100000, "vocab_size": 10})"),
             "parameters"));
}

TEST_CASE("an error inside a run file carries the whole path") {
  try {
    read_model(parse_json("{" + kShape + R"(, "head_dim": 0})", "run.json"), "run.json", "model");
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.path() == "model.head_dim");
    CHECK(error.file() == "run.json");
  }
}

TEST_CASE("which layers are local") {
  Architecture a;
  a.layers = 6;
  CHECK_FALSE(is_local_layer(a, 0));
  a.sliding_window = 128;
  CHECK(is_local_layer(a, 5));
  a.sliding_window_pattern = 3;
  CHECK(is_local_layer(a, 0));
  CHECK(is_local_layer(a, 1));
  CHECK_FALSE(is_local_layer(a, 2));
  CHECK_FALSE(is_local_layer(a, 5));
}

TEST_CASE("every shipped model loads assumes nothing and survives being written") {
  const std::vector<std::string> names = shipped_names();
  CHECK(names.size() >= 36);
  for (const std::string& name : names) {
    CAPTURE(name);
    const ModelDescription model = shipped_model(name);
    CHECK(assumed_keys(model).empty());
    CHECK_FALSE(model.name.empty());
    CHECK(model.stated_parameters > 0);
    const ModelDescription again = read_model(model_json(model), name);
    CHECK(again.architecture == model.architecture);
    CHECK(assumed_keys(again).empty());
    CHECK(again.name == model.name);
  }
}

TEST_CASE("shipped models are the models Hugging Face's files describe") {
  for (const char* name :
       {"llama-2-7b", "llama-3-8b", "llama-3-70b", "gpt2", "gpt2-xl", "gpt-neox-20b",
        "mixtral-8x7b", "qwen3-0.6b", "qwen3-8b", "qwen3-30b-a3b"}) {
    CAPTURE(name);
    CHECK(shipped_model(name).architecture == read_model(hf_sample(name), name).architecture);
  }
  CHECK(shipped_model("llama-3-405b").architecture ==
        read_model(hf_sample("llama-3.1-405b"), "").architecture);
  Architecture deepseek = read_model(hf_sample("deepseek-v3"), "").architecture;
  deepseek.max_positions = 4096;  // pre-trained at 4096, published after extension
  CHECK(shipped_model("deepseek-v3").architecture == deepseek);
}

TEST_CASE("stated parameters warn beyond five percent only") {
  ModelDescription model;
  model.name = "x";
  CHECK(parameter_warning(model, 5e9).empty());
  model.stated_parameters = 1e9;
  CHECK(parameter_warning(model, 1.05e9).empty());
  CHECK(parameter_warning(model, 0.95e9).empty());
  CHECK(says(parameter_warning(model, 1.06e9), "stated_parameters"));
}

}  // namespace orrery
