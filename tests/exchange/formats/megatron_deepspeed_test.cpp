// SPDX-License-Identifier: Apache-2.0
// Scripts of Megatron-DeepSpeed, and DeepSpeed's files beside them.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/json_path.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("Activations on a disk are open, and modules that DeepSpeed gathers whole are named") {
  CHECK(is_open(read({{"a.yml", kAxolotl + "activation_offloading: disk\n"}}),
                "parallel.offload.activations"));
  const ImportedRun leaf =
      read(R"({"train_batch_size": 8, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3,
               "leaf_module": {"classes": ["Block"]}}})");
  CHECK_FALSE(refuses_at(leaf, "zero_optimization.leaf_module"));
  CHECK(std::any_of(leaf.ignored.begin(), leaf.ignored.end(), [](const auto& l) {
    return l.setting.find("leaf_module") != std::string::npos;
  }));
}

TEST_CASE("DeepSpeed's type of gradients goes over the script's") {
  const ImportedRun r = read(
      {{"a.sh", started_megatron("--bf16 --deepspeed --deepspeed_config z3.json --zero-stage 3")},
       {"z3.json", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
                       "zero_optimization": {"stage": 3}, "data_types": {"grad_accum_dtype": "fp32"}})"}});
  CHECK_FALSE(is_open(r, "training.states"));
  CHECK(value_at(r.run, "training.states.gradients") == 4);
}

TEST_CASE("a script's own DeepSpeed file is read with it") {
  const ImportedRun r = read(
      "Z=2\ncat <<EOT > ds.json\n{\"train_batch_size\": 32, \"zero_optimization\": {\"stage\": "
      "$Z}, \"fp16\": {\"enabled\": true}}\nEOT\n"
      "deepspeed train.py --num-layers 8 --hidden-size 64 --num-attention-heads 8 --seq-length 128 "
      "--micro-batch-size 2 --fp16 --deepspeed --deepspeed_config ds.json",
      kEight);
  CHECK(at(r, "parallel.zero") == 2);
  CHECK(at(r, "training.global_batch") == 32);
  CHECK_FALSE(is_open(r, "parallel.zero"));
}

TEST_CASE("Megatron-DeepSpeed counts the embedding and its copy among a pipeline's layers") {
  const std::string base = "--bf16 --deepspeed --zero-stage 0 --pipeline-model-parallel-size 4 ";
  const ImportedRun r = read(
      two_nodes(base + "--pp-partition-method 'type:transformer|embedding' --embed-layernorm"));
  CHECK(at(r, "parallel.layer_split") == "ends_as_layers");
  CHECK(at(r, "model.embedding_norm") == true);
  CHECK(
      is_open(read(two_nodes(base + "--pp-partition-method parameters")), "parallel.stage_layers"));
  CHECK_FALSE(is_open(read(two_nodes(base + "--pp-partition-method type:transformer")),
                      "parallel.stage_layers"));
  CHECK(is_open(read(two_nodes(base + "--cpu-optimizer")), "parallel.offload.optimizer"));
}

TEST_CASE("DeepSpeed shards the states of bf16 without ZeRO") {
  const ImportedRun script = read(two_nodes("--bf16 --deepspeed --zero-stage 0"));
  CHECK(at(script, "parallel.zero") == 1);
  CHECK(at(script, "training.states") == "adam-fp32-gradients-18");
  const std::string head = R"({"train_batch_size": 8, "zero_optimization": {"stage": )";
  const ImportedRun plain = read(head + R"(0}, "bf16": {"enabled": true}})", kEight);
  CHECK(at(plain, "parallel.zero") == 1);
  CHECK(at(plain, "training.states") == "adam-fp32-gradients-18");
  CHECK(at(read(head + R"(0}, "fp16": {"enabled": true}})", kEight), "parallel.zero") == 0);
  CHECK(at(read(head + R"(2}, "bf16": {"enabled": true}})", kEight), "parallel.zero") == 2);
  // The precision of another file.
  const ImportedRun both = read({{"a.yml", kAxolotl + "bf16: true\ndeepspeed: z0.json\n"},
                                 {"z0.json", head + R"(0}, "bf16": {"enabled": "auto"}})"}},
                                kEight);
  CHECK(at(both, "parallel.zero") == 1);
}

TEST_CASE("older settings of Megatron-LM and Megatron-DeepSpeed mean what they meant") {
  CHECK(at(read("python pretrain_gpt.py --activations-checkpoint-method uniform" + kLargeModel),
           "parallel.recompute") == "full");
  CHECK(at(read("N=220_000_000\npython pretrain_gpt.py --train-samples $N" + kLargeModel),
           "training.tokens") == 220'000'000LL * 2048);
  const ImportedRun moe = read(
      "deepspeed --num_gpus 8 pretrain_gpt.py --num-experts 16 --moe-expert-parallel-size 8 "
      "--deepspeed --zero-stage 0" +
      kLargeModel);
  CHECK(at(moe, "model.num_experts_per_tok") == 1);
  CHECK(at(moe, "model.moe_layer_freq") == 2);
  CHECK(at(moe, "model.moe_layer_offset") == 1);
  CHECK_FALSE(is_open(moe, "parallel.framework_options.dispatcher"));
  CHECK(
      refuses_at(read("deepspeed --num_gpus 8 pretrain_gpt.py --num-experts 16 --mlp-type residual "
                      "--deepspeed --zero-stage 0" +
                      kLargeModel),
                 "--mlp-type"));
}

TEST_CASE("Experts of Megatron-DeepSpeed are padded to their capacity") {
  const std::string moe =
      "--fp16 --deepspeed --num-experts 8 --zero-stage 0 --no-pipeline-parallel ";
  const ImportedRun twice = read(started_megatron(moe + "--moe-train-capacity-factor 2.0"));
  CHECK(at(twice, "model.moe_expert_capacity_factor") == 2.0);
  CHECK(at(twice, "model.moe_pad_expert_input_to_capacity") == true);
  const char* factor = "model.moe_expert_capacity_factor";
  CHECK(at(read(started_megatron(moe + "--moe-train-capacity-factor 1.0")), factor).is_null());
  CHECK(at(read(started_megatron(moe + "--moe-train-capacity-factor 2.0 "
                                       "--disable-moe-token-dropping")),
           factor)
            .is_null());
}

TEST_CASE("a script of Megatron-DeepSpeed keeps its profile and states beside its DeepSpeed file") {
  const ImportedRun r = read(
      {{"x.sh",
        "deepspeed --num_nodes 1 --num_gpus 8 pretrain_gpt.py --deepspeed --num-layers 4 "
        "--hidden-size 2048 "
        "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 8 "
        "--fp16\n"},
       {"ds.json",
        R"({"train_batch_size": 8, "fp16": {"enabled": true}, "zero_optimization": {"stage": 1}})"}});
  CHECK(at(r, "framework") == "megatron-deepspeed");
  CHECK(at(r, "training.states") == "adam-mixed-16");
  CHECK(at(r, "parallel.zero") == 1);
}

TEST_CASE("A file of DeepSpeed that names no stage says the stage that DeepSpeed takes") {
  const std::string start =
      small_megatron("deepspeed --num_gpus 8", "--fp16 --deepspeed --deepspeed_config ds.json");
  CHECK(is_open(read({{"run.sh", start}}), "parallel.zero"));
  const ImportedRun r =
      read({{"run.sh", start},
            {"ds.json", R"({"train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true}})"}});
  CHECK_FALSE(is_open(r, "parallel.zero"));
  CHECK(at(r, "parallel.zero") == 0);
}

}  // namespace orrery
