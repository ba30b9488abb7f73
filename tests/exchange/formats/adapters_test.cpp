// SPDX-License-Identifier: Apache-2.0
// Adapters as each tool's files have them.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kBridge =
    "model: {num_layers: 32, hidden_size: 4096, num_attention_heads: 32, seq_length: 4096}\n"
    "train: {global_batch_size: 32, micro_batch_size: 1}\n";

const std::string kNemo =
    "model:\n  restore_from_path: /m/llama3-70b.nemo\n  micro_batch_size: 1\n"
    "  encoder_seq_length: 4096\n  tensor_model_parallel_size: 8\n  peft:\n";

const std::string kAutomodel =
    "step_scheduler: {global_batch_size: 64, local_batch_size: 8}\n"
    "model: {pretrained_model_name_or_path: meta-llama/Llama-3.1-8B}\n"
    "dataset: {seq_length: 2048}\n";

Json adapter(const std::string& text) { return at(read(text, kEight), "training.adapter"); }

}  // namespace

TEST_CASE("Megatron-Bridge's adapters stand on fused matrices unless they are canonical") {
  const Json lora =
      adapter(kBridge + "peft: {_target_: megatron.bridge.peft.lora.LoRA, dim: 16}\n");
  CHECK(lora["kind"] == "lora");
  CHECK(lora["rank"] == 16);
  CHECK(lora["targets"] == Json{"qkv", "output", "gate_up", "down"});
  const Json split = adapter(
      kBridge + "peft: {_target_: a.CanonicalLoRA, target_modules: [linear_q, linear_fc1_up]}\n");
  CHECK(split["targets"] == Json{"query", "up"});
  CHECK(adapter(kBridge + "peft: {_target_: a.DoRA, dropout: 0.1}\n")["dropout"] == true);
  CHECK(adapter(kBridge + "peft: dora\n")["rank"] == 32);
  CHECK(adapter(kBridge + "peft: null\n").is_null());
  CHECK(adapter(kBridge + "peft: none\n").is_null());
}

TEST_CASE("Adapters on some layers or of another kind stop an import") {
  const auto is_refused = [](const std::string& peft, const char* setting) {
    return refuses_at(read(kBridge + "peft: " + peft, kEight), setting);
  };
  CHECK(is_refused("{_target_: a.LoRA, target_modules: ['*.layers.0.*.linear_qkv']}\n",
                   "target_modules"));
  CHECK(is_refused("{_target_: a.LoRA, exclude_modules: [x]}\n", "peft.exclude_modules"));
  CHECK(is_refused("{_target_: a.VLMLoRA}\n", "peft a.VLMLoRA"));
}

TEST_CASE("NeMo 1 names adapters by scheme, and the model by its checkpoint") {
  const ImportedRun r = read(
      kNemo +
      "    peft_scheme: lora\n    lora_tuning: {target_modules: [attention], adapter_dim: 8}\n");
  CHECK(at(r, "training.adapter.targets") == Json{"qkv", "output"});
  CHECK(at(r, "training.adapter.rank") == 8);
  CHECK(at(r, "model") == "llama-3-70b");
  CHECK(adapter(kNemo + "    peft_scheme: qlora\n")["base_precision"] == "nf4");
  CHECK(adapter(kNemo + "    peft_scheme: null\n").is_null());
  CHECK(refuses_at(read(kNemo + "    peft_scheme: ptuning\n", kEight), "model.peft.peft_scheme"));
}

TEST_CASE("Automodel's adapters on every linear layer are on the head too") {
  const Json all = adapter(kAutomodel + "peft: {match_all_linear: true, dim: 16}\n");
  CHECK(all["targets"].back() == "head");
  CHECK_FALSE(
      adapter(kAutomodel + "peft: {match_all_linear: true, exclude_modules: ['*lm_head*']}\n")
          .contains("targets"));
  CHECK(adapter(kAutomodel + "peft: {target_modules: '*_proj'}\n")["rank"] == 8);
  const Json packed = adapter(
      kAutomodel + "peft: {target_modules: [q_proj]}\nquantization: {load_in_4bit: true}\n");
  CHECK(packed["kind"] == "qlora");
  CHECK(packed["base_precision"] == "nf4");
  CHECK(refuses_at(read(kAutomodel + "quantization: {load_in_4bit: true}\n", kEight),
                   "quantization"));
}

TEST_CASE("A base model that is stored in nf4 is read by its name, beside an adapter") {
  const std::string name =
      "base_model: unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit\nsequence_len: 4096\n"
      "micro_batch_size: 1\nbf16: true\n";
  const ImportedRun r = read(name + "adapter: lora\nlora_r: 8\nlora_target_linear: true\n", kEight);
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "training.adapter.base_precision") == "nf4");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(refuses_at(read(name, kEight), "base_model"));
}

TEST_CASE("Adapters stand beside what is a linear layer") {
  const auto of = [](const std::string& model, const std::string& more) {
    return read("base_model: " + model +
                    "\nsequence_len: 64\nsample_packing: true\nmicro_batch_size: 1\n"
                    "gradient_accumulation_steps: 1\nbf16: true\nadapter: lora\nlora_r: 8\n" +
                    more,
                kEight);
  };
  const std::string every = "lora_target_linear: true\n";
  CHECK(at(of("openai/gpt-oss-20b", every), "training.adapter.targets") ==
        Json({"query", "key", "value", "output"}));
  CHECK(refuses_at(of("openai/gpt-oss-20b", every + "load_in_4bit: true\n"), "adapter"));
  CHECK(refuses_at(of("meta-llama/Llama-4-Scout-17B-16E", every), "adapter"));
  CHECK(refuses_at(
      of("meta-llama/Llama-4-Scout-17B-16E", "lora_target_modules:\n  - shared_expert.up_proj\n"),
      "lora_target_modules"));
  CHECK(at(of("Qwen/Qwen3-8B",
              "lora_target_modules: 'model.layers.[\\d]+.(mlp|self_attn).(up|q)_proj'\n"),
           "training.adapter.targets") == Json({"up", "query"}));
  CHECK(refuses_at(of("Qwen/Qwen3-8B", "lora_target_modules: 'model.layers.3.(mlp).(up|q)_proj'\n"),
                   "lora_target_modules"));
  const ImportedRun stored =
      of("openai/gpt-oss-20b", every +
                                   "model_quantization_config: Mxfp4Config\n"
                                   "model_quantization_config_kwargs:\n  dequantize: true\n");
  CHECK_FALSE(refuses_at(stored, "model_quantization_config"));
  CHECK(at(of("axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16",
              "lora_target_modules:\n  - q_proj\n"),
           "model") == "llama-4-scout");
}

}  // namespace orrery
