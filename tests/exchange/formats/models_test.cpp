// SPDX-License-Identifier: Apache-2.0
// Models that a file takes by name, and what it says of them otherwise.
#include <doctest/doctest.h>

#include <algorithm>

#include "exchange/hub_names.h"
#include "exchange/import_draft.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("models of a hub are known by their dimensions") {
  CHECK(shipped_model("meta-llama/Meta-Llama-3-8B-Instruct") == "llama-3-8b");
  CHECK(shipped_model("meta-llama/Llama-3.1-405B") == "llama-3-405b");
  CHECK(shipped_model("llama3_1_70b") == "llama-3-70b");
  CHECK(shipped_model("Qwen/Qwen3-30B-A3B-Instruct-2507") == "qwen3-30b-a3b");
  CHECK(shipped_model("mistralai/Mixtral-8x7B-v0.1") == "mixtral-8x7b");
  CHECK(shipped_model("Qwen/Qwen4-4B") == "");
  CHECK(shipped_model("mistralai/Mistral-7B-Instruct-v0.3") == "mistral-7b-v0.3");
  CHECK(shipped_model("mistralai/Mistral-7B-v0.1") == "mistral-7b-v0.1");  // with its window
  CHECK(shipped_model("mistralai/Mistral-7B-Instruct-v0.2") == "mistral-7b");
  CHECK(shipped_model("mistralai/Mistral-Nemo-Base-2407") == "mistral-nemo-12b");
  CHECK(shipped_model("allenai/OLMo-2-1124-7B-Instruct") == "olmo-2-7b");
  CHECK(shipped_model("somebody/Llama-3-8B-AWQ") == "llama-3-8b");
  CHECK(quantised_base("somebody/Llama-3-8B-AWQ") == "awq");
}

// A name that a file of ours has is a name that a hub may have: none is forgotten here.
TEST_CASE("every shipped model is known by its own name") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ORRERY_CONFIG_DIR) + "/models")) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    const bool ambiguous = name == "gpt3-1.3b" || name == "gpt3-13b";
    CHECK(shipped_model(name) == (ambiguous ? "" : name));
  }
}

TEST_CASE("Hub names of smaller models, and of those that see images") {
  const auto of = [](const std::string& model) {
    return read("base_model: " + model + "\nsequence_len: 64\nsample_packing: true\n" +
                    "micro_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\n",
                kEight);
  };
  const std::pair<const char*, const char*> names[] = {
      {"NousResearch/Llama-3.2-1B", "llama-3.2-1b"},
      {"Qwen/Qwen2-7B-Instruct", "qwen2.5-7b"},
      {"Qwen/Qwen2.5-0.5B", "qwen2.5-0.5b"},
      {"Qwen/Qwen3-4B-Instruct-2507", "qwen3-4b"},
      {"google/gemma-2b", "gemma-2b"},
      {"google/gemma-2-2b-it", "gemma-2-2b"},
      {"mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"},
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
      {"mistralai/Mistral-7B-Instruct-v0.2", "mistral-7b"},
      {"microsoft/Phi-3-mini-4k-instruct", "phi-3-mini"},
      {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "tinyllama-1.1b"},
      {"deepseek-ai/DeepSeek-V2-Lite-Chat", "deepseek-v2-lite"},
      {"huggyllama/llama-7b", "llama-2-7b"}};
  for (const auto& name : names) {
    CAPTURE(name.first);
    CHECK(at(of(name.first), "model") == name.second);
  }
  const auto mentions = [](const ImportedRun& r) {
    return std::any_of(r.ignored.begin(), r.ignored.end(), [](const LeftOver& l) {
      return l.why.find("encoder of images") != std::string::npos;
    });
  };
  CHECK(mentions(of("google/gemma-3-4b-it")));
  CHECK_FALSE(mentions(of("google/gemma-3-1b-it")));
}

TEST_CASE("A config.json is whole in its family's words") {
  const ImportedRun r =
      read({{"config.json", R"({"model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48,
                               "vocab_size": 50257})"}});
  const std::vector<std::string> missing = missing_keys(r.run);
  CHECK(std::none_of(missing.begin(), missing.end(),
                     [](const std::string& key) { return key.rfind("model", 0) == 0; }));
}

TEST_CASE("A model whose weights are quantised already stops the import") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto fitted = [&](const char* way) {
    ImportedRun r;
    r.run["model"] = json_of(std::string(R"({"model_type": "llama", "hidden_size": 64,
      "quantization_config": {"quant_method": ")") +
                             way + "\"}}");
    fit_import(r, Json::object(), lookup);
    return r;
  };
  CHECK(refuses_at(fitted("gptq"), "quantization_config.quant_method gptq"));
  CHECK(refuses_at(fitted("awq"), "quantization_config.quant_method awq"));
  CHECK(!refuses_at(fitted("fp8"), "quantization_config"));
}

TEST_CASE("Whole numbers in a checkpoint of compressed-tensors are quantised weights") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto fitted = [&](const char* config) {
    ImportedRun r;
    r.run["model"] = json_of(R"({"model_type": "llama", "hidden_size": 64})");
    r.run["model"]["quantization_config"] = json_of(config);
    fit_import(r, Json::object(), lookup);
    return refuses_at(r, "quantization_config.quant_method");
  };
  CHECK(fitted(R"({"quant_method": "compressed-tensors", "format": "pack-quantized"})"));
  CHECK(!fitted(R"({"quant_method": "compressed-tensors", "format": "float-quantized"})"));
  CHECK(fitted(R"({"load_in_4bit": true})"));
  CHECK(fitted(R"({"quant_method": "bitnet"})"));
}

}  // namespace orrery
