// SPDX-License-Identifier: Apache-2.0
// Files, recipes and overrides of Megatron-Bridge.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

std::string bridge(const std::string& more) {
  return "model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
         "  seq_length: 128\n  normalization: RMSNorm\n" +
         more +
         "train:\n  global_batch_size: 64\n  micro_batch_size: 1\nmixed_precision: bf16_mixed\n";
}

}  // namespace

TEST_CASE("Megatron-Bridge's precisions by name reduce gradients in fp32") {
  const std::string base = "train:\n  micro_batch_size: 1\nddp:\n  grad_reduce_in_fp32: false\n";
  CHECK(at(read({{"a.yaml", base + "mixed_precision: bf16_with_mxfp8_mixed\n"}}),
           "training.states") == "adam-fp32-gradients-18");
  CHECK(at(read({{"a.yaml", base + "mixed_precision: fp16_mixed\n"}}), "training.states") ==
        "adam-fp16-gradients-20");
}

TEST_CASE("Megatron-Bridge's mixed_precision goes over its model") {
  const std::string model =
      "model:\n  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n  num_layers: 8\n "
      " hidden_size: 256\n"
      "  num_attention_heads: 8\n  vocab_size: 1000\n  gated_linear_unit: true\n  activation_func: "
      "{_call_: false, _target_: torch.nn.functional.silu}\n"
      "  seq_length: 2048\n  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 2\n  "
      "fp8_recipe: delayed\n"
      "  pipeline_model_parallel_layout:\n  - [embedding, decoder, decoder, decoder]\n  - "
      "[decoder, decoder, decoder, decoder, decoder, loss]\n"
      "  share_embeddings_and_output_weights: false\n  sequence_parallel: false\ntrain: "
      "{global_batch_size: 32, micro_batch_size: 1}\n"
      "ddp: {use_distributed_optimizer: true, grad_reduce_in_fp32: false, "
      "data_parallel_sharding_strategy: optim_grads_params, use_megatron_fsdp: false}\n";
  const auto with = [&](const std::string& more) { return read(model + more); };
  const ImportedRun bf16 = with(
      "mixed_precision: {bf16: true, fp8: null, fp8_recipe: tensorwise, grad_reduce_in_fp32: "
      "true}\n");
  CHECK(at(bf16, "training.precision") == "bf16");
  CHECK(at(bf16, "training.states") == "adam-fp32-gradients-18");
  CHECK(at(bf16, "parallel.zero") == 1);
  CHECK(at(bf16, "parallel.stage_layers") == Json({3, 5}));
  CHECK(at(bf16, "model.hidden_act") == "swiglu");
  CHECK(bf16.ignored.empty());
  CHECK(at(with("mixed_precision: {bf16: true, fp8: e4m3, fp8_recipe: mxfp8}\n"),
           "training.precision") == "mxfp8");
  CHECK(at(with("mixed_precision: {bf16: true, fp4: e2m1}\n"), "training.precision") == "nvfp4");
  const ImportedRun overrides =
      read("model: {seq_length: 2048}\ntrain: {global_batch_size: 64, micro_batch_size: 1}\n");
  CHECK(at(overrides, "training.global_batch") == 64);
  for (const char* key : {"parallel.tp", "parallel.pp", "training.precision", "parallel.zero"})
    CHECK(is_open(overrides, key));
}

TEST_CASE("Sections of Megatron-Bridge that differ leave the sharding open, and null is none") {
  const auto bridge = [](const std::string& more) {
    return read(
        "train: {global_batch_size: 8, micro_batch_size: 1}\nmodel:\n"
        "  tensor_model_parallel_size: 1\n  recompute_granularity: null\n" +
            more,
        kEight);
  };
  CHECK(is_open(bridge("ddp: {use_megatron_fsdp: true}\ndist: {use_megatron_fsdp: false}\n"),
                "parallel.zero"));
  CHECK(is_open(bridge("ddp: {use_distributed_optimizer: true}\n"
                       "optimizer: {use_distributed_optimizer: false}\n"),
                "parallel.zero"));
  const ImportedRun same = bridge(
      "ddp: {use_distributed_optimizer: true}\noptimizer: {use_distributed_optimizer: true}\n");
  CHECK(at(same, "parallel.zero") == 1);
  CHECK(at(same, "parallel.recompute") == "none");
  CHECK_THROWS_WITH(
      read("python setup_experiment.py --account a --model_name llama3 --num_gpus 8\n"),
      doctest::Contains("Megatron-Bridge"));
}

TEST_CASE("Megatron-Bridge's length is its data's where its model says none") {
  const std::string base =
      "train:\n  global_batch_size: 8\n  micro_batch_size: 1\nmixed_precision: bf16_mixed\n";
  const std::string data = "dataset:\n  sequence_length: 4096\n";
  CHECK(at(read(base + data), "training.sequence_length") == 4096);
  CHECK(at(read(base + data + "model:\n  seq_length: 2048\n"), "training.sequence_length") == 2048);
  CHECK(at(read("python run_recipe.py --recipe x dataset.seq_length=512 train.micro_batch_size=1 "
                "model.tensor_model_parallel_size=2\n"),
           "training.sequence_length") == 512);
}

TEST_CASE("Megatron-Bridge's settings that move a number are not passed over") {
  CHECK(at(read(bridge("  attention_output_gate: true\n")), "model.attention_gate_dim") == 16);
  for (const char* key : {"fp32_residual_connection", "heterogeneous_block_specs",
                          "hybrid_context_parallel", "variable_seq_lengths"}) {
    CHECK_MESSAGE(
        refuses_at(read(bridge(std::string("  ") + key + ": true\n")), std::string("model.") + key),
        key);
  }
  const ImportedRun r = read(bridge("") +
                                 "ddp:\n  use_distributed_optimizer: true\n"
                                 "  num_distributed_optimizer_instances: 2\n",
                             kEight);
  CHECK(at(r, "parallel.zero_shard_group") == 4);
}

TEST_CASE("Copies of the distributed optimizer stand in either part of Megatron-Bridge's file") {
  const auto group = [](const std::string& more) {
    return at(read("model:\n  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n"
                   "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
                   "  seq_length: 32\n  vocab_size: 100\n"
                   "train:\n  global_batch_size: 64\n  micro_batch_size: 1\n"
                   "optimizer:\n  use_distributed_optimizer: true\n" +
                       more,
                   R"({"cluster": {"gpus": 16}})"),
              "parallel.zero_shard_group");
  };
  CHECK(group("dist:\n  num_distributed_optimizer_instances: 4\n") == 4);
  CHECK(group("dist:\n  num_distributed_optimizer_instances: 1\n"
              "ddp:\n  num_distributed_optimizer_instances: 2\n") == 8);
  CHECK(group("").is_null());
}

TEST_CASE("Megatron-Bridge's precision may be a recipe's name, and overrides leave degrees open") {
  const auto of = [](const std::string& name) {
    return read(
        "model:\n  tensor_model_parallel_size: 2\ntrain:\n  global_batch_size: "
        "64\nmixed_precision: " +
        name + "\n");
  };
  CHECK(at(of("bf16_mixed"), "training.precision") == "bf16");
  CHECK(at(of("bf16_with_fp8_current_scaling_mixed"), "training.precision") == "fp8");
  CHECK(at(of("bf16_with_mxfp8_mixed"), "training.precision") == "mxfp8");
  CHECK(at(of("bf16_with_nvfp4_mixed"), "training.precision") == "nvfp4");
  CHECK(is_open(of("bf16_mixed"), "parallel.pp"));
  CHECK(is_open(of("bf16_mixed"), "parallel.cp"));
}

TEST_CASE("What a provider of Megatron-Bridge has in Python is not Megatron-LM's default") {
  const auto dump = [](const std::string& more) {
    return read(
        "train: {micro_batch_size: 1, global_batch_size: 8}\nmixed_precision: bf16_mixed\nmodel:\n"
        "  _target_: megatron.bridge.models.llama.llama_provider.Llama3ModelProvider8B\n"
        "  num_layers: 32\n  hidden_size: 4096\n  num_attention_heads: 32\n  seq_length: 4096\n" +
            more,
        kEight);
  };
  CHECK(is_open(dump(""), "model.position_embedding"));
  CHECK(at(dump(""), "training.precision") == "bf16");
  CHECK_FALSE(is_open(dump("  normalization: RMSNorm\n"), "model.position_embedding"));
}

TEST_CASE("Latent attention has as many key heads as heads, whatever a dump's groups are") {
  const ImportedRun r = read(
      "model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 8\n"
      "  num_query_groups: 1\n  multi_latent_attention: true\n  q_lora_rank: 16\n"
      "  kv_lora_rank: 8\n  qk_head_dim: 8\n  qk_pos_emb_head_dim: 4\n  v_head_dim: 8\n"
      "  normalization: RMSNorm\n  seq_length: 32\ntrain:\n  global_batch_size: 8\n"
      "  micro_batch_size: 1\n");
  CHECK(at(r, "model.num_key_value_heads") == 8);
}

}  // namespace orrery
