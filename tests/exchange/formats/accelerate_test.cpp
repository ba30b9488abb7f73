// SPDX-License-Identifier: Apache-2.0
// Accelerate's files and launches, and PyTorch's FSDP as they set it.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

// Accelerate's file of this kind and these settings beside a trainer's.
ImportedRun by_accelerate(const std::string& type, const std::string& more) {
  return read({{"a.yaml", "distributed_type: " + type + "\nnum_processes: 8\n" + more},
               {"b.yaml", kPackedTrainer}});
}

}  // namespace

TEST_CASE("Flags of accelerate launch shard as its file does") {
  const std::string program =
      " sft.py --model_name_or_path mistralai/Mistral-7B-v0.1 --max_seq_length 2048 --packing True"
      " --per_device_train_batch_size 4 --gradient_accumulation_steps 4 --bf16\n";
  const ImportedRun deepspeed = read(
      "accelerate launch --num_processes 8 --use_deepspeed "
      "--zero_stage 3 --offload_optimizer_device cpu" +
      program);
  CHECK(at(deepspeed, "parallel.zero") == 3);
  CHECK(at(deepspeed, "parallel.offload.optimizer") == "host");
  CHECK(at(deepspeed, "framework") == "deepspeed");
  CHECK(at(deepspeed, "training.global_batch") == 128);
  const ImportedRun fsdp = read(
      "accelerate launch --num_processes 4 --use_fsdp "
      "--fsdp_sharding_strategy SHARD_GRAD_OP "
      "--fsdp_activation_checkpointing true" +
      program);
  CHECK(at(fsdp, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(fsdp, "parallel.recompute") == "full");
}

TEST_CASE("Accelerate's replicas on several GPUs are whole, unless the training shards them") {
  const std::string gpus = "distributed_type: MULTI_GPU\nmixed_precision: fp16\nnum_processes: 8\n";
  CHECK(at(read(gpus), "parallel.zero") == 0);
  const std::string trainer =
      "model_name_or_path: Qwen/Qwen3-4B\nbf16: true\nper_device_train_batch_size: 2\n"
      "fsdp: full_shard auto_wrap\nmax_length: 1024\npacking: true\n";
  CHECK(at(read({{"a.yaml", gpus}, {"b.yaml", trainer}}), "parallel.zero") == 3);
}

TEST_CASE("Accelerate's automatic accumulation is the trainer's") {
  const ImportedRun r =
      read({{"a.yaml",
             "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
             "deepspeed_config:\n  zero_stage: 3\n  gradient_accumulation_steps: auto\n"},
            {"b.yaml",
             "model_name_or_path: Qwen/Qwen3-4B\nbf16: true\nper_device_train_batch_size: 2\n"
             "gradient_accumulation_steps: 4\nmax_length: 1024\npacking: true\n"}});
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("Accelerate's file completes a trainer's") {
  const std::string accelerate =
      "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: "
      "bf16\nnum_machines: 2\n"
      "num_processes: 16\ndowncast_bf16: 'no'\nfsdp_config:\n  fsdp_sharding_strategy: "
      "SHARD_GRAD_OP\n";
  const ImportedRun alone = read(accelerate);
  CHECK(at(alone, "cluster.gpus") == 16);
  CHECK(at(alone, "training.precision") == "bf16");
  CHECK(at(alone, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(alone, "parallel.recompute").is_null());
  const ImportedRun both = read({{"a.yaml", kAxolotl + "bf16: true\n"}, {"b.yaml", accelerate}});
  CHECK(at(both, "training.global_batch") == 2 * 4 * 16);
  CHECK(at(both, "training.states") == "fsdp-amp");
  CHECK(both.ignored.empty());
  const ImportedRun against = read({{"a.yaml", kAxolotl + "fp16: true\n"}, {"b.yaml", accelerate}});
  CHECK(is_open(against, "training.precision"));
  CHECK(
      at(read(
             "distributed_type: FSDP\nfsdp_config: {fsdp_version: 1, fsdp_sharding_strategy: 3}\n"),
         "parallel.zero") == 0);
  CHECK(is_open(read("distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: "
                     "{deepspeed_config_file: z.json}\n"),
                "training.precision"));
}

TEST_CASE("Accelerate's plugin for Megatron-LM says degrees, micro batches and recompute") {
  const ImportedRun r =
      read({{"a.yaml",
             "distributed_type: MEGATRON_LM\nnum_processes: 8\nmixed_precision: bf16\n"
             "megatron_lm_config:\n  megatron_lm_tp_degree: 2\n  megatron_lm_pp_degree: 2\n"
             "  megatron_lm_num_micro_batches: 4\n  megatron_lm_sequence_parallelism: true\n"
             "  megatron_lm_recompute_activations: true\n"
             "  megatron_lm_use_distributed_optimizer: true\n"},
            {"b.sh",
             "accelerate launch --config_file a.yaml clm.py --config_name gpt2 "
             "--per_device_train_batch_size 3 --block_size 1024\n"}});
  CHECK(at(r, "framework") == "megatron-core");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "parallel.pp") == 2);
  CHECK(at(r, "parallel.sequence_parallel") == true);
  CHECK(at(r, "parallel.recompute") == "selective");
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "training.global_batch") == 24);
}

TEST_CASE("DeepSpeed counts its batches by Accelerate's processes") {
  const ImportedRun r =
      read({{"a.yaml",
             "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
             "  deepspeed_config_file: d.json\n"},
            {"d.json", R"({"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 2,
                           "gradient_accumulation_steps": 4})"}});
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("Accumulations that differ leave the batch open") {
  const ImportedRun r =
      read({{"a.yaml",
             "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
             "  zero_stage: 2\n  gradient_accumulation_steps: 1\n"},
            {"t.yaml", kQwenTrainer + "bf16: true\ngradient_accumulation_steps: 4\n"}});
  CHECK(is_open(r, "training.global_batch"));
  CHECK(at(r, "training.global_batch").is_null());
}

TEST_CASE("Accelerate on processors stops") {
  CHECK(refuses_at(read("distributed_type: MULTI_CPU\nnum_processes: 4\nmixed_precision: bf16\n"),
                   "distributed_type"));
  CHECK(refuses_at(read("distributed_type: NO\nnum_processes: 1\nuse_cpu: true\n"), "use_cpu"));
}

TEST_CASE("Accelerate's tensor parallelism has a part of its own too") {
  const ImportedRun r = read({{"a.yaml",
                               "distributed_type: TP\nnum_processes: 8\nmixed_precision: bf16\n"
                               "tp_config:\n  tp_size: 2\n"},
                              {"b.yaml",
                               "model_name_or_path: Qwen/Qwen3-4B\nbf16: true\nmax_length: 1024\n"
                               "per_device_train_batch_size: 2\n"}});
  CHECK(at(r, "parallel.tp") == 2);
}

TEST_CASE("A model that FSDP does not cut into layers stops the import") {
  CHECK(refuses_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_auto_wrap_policy: NO_WRAP\n"),
                   "fsdp_config.fsdp_auto_wrap_policy NO_WRAP"));
  CHECK(refuses_at(read(kPackedTrainer + "fsdp: full_shard\n", kEight), "fsdp full_shard"));
  CHECK(!refuses_at(read(kPackedTrainer + "fsdp: full_shard auto_wrap\n", kEight), "fsdp"));
  CHECK(!refuses_at(read(kPackedTrainer + "fsdp: no_shard\n", kEight), "fsdp"));
  CHECK(refuses_at(read(kAxolotl + "fsdp_config:\n  auto_wrap_policy: NO_WRAP\n", kEight),
                   "fsdp_config.auto_wrap_policy"));
  const ImportedRun by_size = by_accelerate(
      "FSDP",
      "fsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n  fsdp_min_num_params: 2000\n");
  CHECK(is_named(by_size, "SIZE_BASED_WRAP"));
}

TEST_CASE("FSDP 2 shards as it is told to reshard, whatever strategy a file keeps") {
  const std::string old =
      "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_reshard_after_forward: false\n";
  const ImportedRun second = by_accelerate("FSDP", old + "  fsdp_version: 2\n");
  CHECK(at(second, "parallel.zero") == 3);
  CHECK(at(second, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(is_open(by_accelerate("FSDP", old), "parallel.zero"));
  CHECK(at(by_accelerate("FSDP",
                         "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
                         "  fsdp_reshard_after_forward: true\n"),
           "parallel.zero") == 3);
}

TEST_CASE("Modules that FSDP leaves whole stop the import, and gathers in the open are named") {
  CHECK(refuses_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_ignored_modules: lm_head\n"),
                   "fsdp_config.fsdp_ignored_modules"));
  CHECK(is_named(by_accelerate("FSDP", "fsdp_config:\n  fsdp_backward_prefetch: NO_PREFETCH\n"),
                 "fsdp_backward_prefetch"));
}

TEST_CASE("Accelerate's launches on other devices than GPUs stop the import") {
  for (const char* type : {"XLA", "TPU", "MULTI_XPU", "MULTI_NPU", "MULTI_HPU", "MULTI_CPU"}) {
    CHECK(refuses_at(by_accelerate(type, ""), std::string("distributed_type ") + type));
  }
  CHECK(refuses_at(by_accelerate("MULTI_GPU", "ipex_config:\n  use_xpu: true\n"),
                   "ipex_config.use_xpu"));
  const std::string program =
      " sft.py --model_name_or_path Qwen/Qwen3-4B --max_length 1024"
      " --per_device_train_batch_size 4 --bf16\n";
  CHECK(refuses_at(read("accelerate launch --num_processes 8 --tpu" + program), "tpu"));
  CHECK(refuses_at(read("accelerate launch --num_processes 8 --cpu" + program), "cpu"));
  CHECK(!refuses_at(by_accelerate("MULTI_GPU", "use_cpu: false\n"), "use_cpu"));
}

TEST_CASE("Two precisions at once leave it open, and gathers without a limit are named") {
  CHECK(is_open(read(kPackedTrainer + "fp16: true\n", kEight), "training.precision"));
  CHECK(is_named(by_accelerate("FSDP", "fsdp_config:\n  fsdp_limit_all_gathers: false\n"),
                 "fsdp_limit_all_gathers"));
}

TEST_CASE("Accelerate's eager backends compile nothing, and its unknown degrees stop") {
  const char* compile = "parallel.framework_options.compile";
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: EAGER\n"), compile)
            .is_null());
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: INDUCTOR\n"), compile) ==
        true);
  CHECK(refuses_at(by_accelerate("FSDP", "parallelism_config:\n  parallelism_config_ep_size: 2\n"),
                   "parallelism_config.parallelism_config_ep_size"));
}

TEST_CASE("Accelerate's context ranks are a ring or Ulysses, and older keys count") {
  const auto of = [](const std::string& more) {
    return read("distributed_type: FSDP\nnum_processes: 16\nmixed_precision: bf16\n" + more);
  };
  const std::string sizes = "parallelism_config:\n  parallelism_config_dp_shard_size: 4\n";
  const ImportedRun ring = of(sizes + "  parallelism_config_cp_size: 4\n");
  CHECK(at(ring, "parallel.cp_type") == "all_gather");
  const ImportedRun passed = of(
      sizes + "  parallelism_config_cp_size: 4\n  parallelism_config_cp_comm_strategy: alltoall\n");
  CHECK(at(passed, "parallel.cp_type") == "p2p");
  const ImportedRun ulysses = of(sizes + "  parallelism_config_sp_size: 4\n");
  CHECK(at(ulysses, "parallel.cp") == 4);
  CHECK(at(ulysses, "parallel.cp_type") == "a2a");
  CHECK(is_open(of(sizes + "  parallelism_config_sp_size: 4\n  parallelism_config_cp_size: 2\n"),
                "parallel.cp"));
  CHECK(at(of("dynamo_backend: INDUCTOR\n"), "parallel.framework_options.compile") == true);
}

TEST_CASE(
    "FSDP's words count in any letters, and its checkpoints and offload are the trainer's too") {
  const std::string head =
      "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config:\n";
  const ImportedRun old = read(
      head + "  fsdp_sharding_strategy: shard_grad_op\n  fsdp_activation_checkpointing: true\n");
  CHECK(at(old, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(old, "parallel.recompute") == "full");
  const ImportedRun unknown =
      read(head + "  fsdp_sharding_strategy: MOSTLY\n  fsdp_activation_checkpointing: true\n");
  CHECK(is_open(unknown, "parallel.zero"));
  CHECK(at(unknown, "parallel.recompute") == "full");
  const std::string axolotl =
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\nbf16: true\n";
  const ImportedRun offloads = read(
      axolotl + "fsdp: [full_shard, offload]\nfsdp_config: {fsdp_activation_checkpointing: true}\n",
      kEight);
  CHECK(at(offloads, "parallel.recompute") == "full");
  CHECK(at(offloads, "parallel.offload.parameters") == "host");
  CHECK(at(offloads, "parallel.offload.optimizer") == "host");
  const ImportedRun some = read(
      axolotl +
          "adapter: lora\nlora_r: 8\nlora_target_linear: true\nlora_layers_to_transform: [0, 1]\n",
      kEight);
  CHECK(refuses_at(some, "lora_layers_to_transform"));
}

TEST_CASE("Accelerate's own part of DeepSpeed and a file of DeepSpeed may not differ") {
  const auto both = [](const std::string& stage) {
    return read({{"a.yaml",
                  "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
                  "deepspeed_config: {zero_stage: " +
                      stage + ", offload_optimizer_device: cpu}\n"},
                 {"ds.json", R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 8,
                     "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"}});
  };
  CHECK(at(both("3"), "parallel.zero") == 3);
  CHECK(at(both("3"), "parallel.offload.optimizer") == "host");
  CHECK(is_open(both("2"), "parallel.zero"));
}

TEST_CASE("Accelerate's DeepSpeed keeps its stage on one GPU, wherever its file stands") {
  const ForeignFile launch{"zero3.yaml",
                           "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
                           "num_processes: 1\ndeepspeed_config: {zero_stage: 3}\n"};
  const ForeignFile recipe{"grpo.yaml",
                           "model_name_or_path: Qwen/Qwen2.5-7B\nreward_funcs: [accuracy]\n"
                           "use_vllm: true\nnum_generations: 16\n"
                           "per_device_train_batch_size: 8\ngradient_accumulation_steps: 8\n"};
  for (const ImportedRun& r : {read({launch, recipe}), read({recipe, launch})}) {
    CHECK(at(r, "parallel.zero") == 3);
    CHECK(at(r, "training.states").is_null());
    CHECK(at(r, "training.rl.prompts") == 4);
  }
  const ForeignFile plain{"ds.json", R"({"bf16": {"enabled": true}, "train_batch_size": 8})"};
  CHECK(at(read({plain}), "parallel.zero") == 1);
  const ImportedRun stated = read({plain}, R"({"parallel": {"zero": 3}})");
  CHECK(at(stated, "training.states").is_null());
}

}  // namespace orrery
