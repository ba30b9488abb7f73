// SPDX-License-Identifier: Apache-2.0
// Files and command lines of LLaMA-Factory.
#include <doctest/doctest.h>

#include <algorithm>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("Ray's workers are the GPUs of LLaMA-Factory") {
  const ImportedRun r = read(
      "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 512\n"
      "bf16: true\nper_device_train_batch_size: 2\nray_num_workers: 4\n"
      "resources_per_worker:\n  GPU: 1\n");
  CHECK(at(r, "training.global_batch") == 8);
}

TEST_CASE(
    "LLaMA-Factory checkpoints unless it is told not to, and trains adapters unless told to") {
  const std::string base =
      "model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nstage: sft\ntemplate: llama3\n"
      "cutoff_len: 1024\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: "
      "true\n";
  const ImportedRun full = read(base + "finetuning_type: full\n", kEight);
  CHECK(at(full, "parallel.recompute") == "full");
  CHECK(at(full, "training.global_batch") == 64);
  CHECK(at(full, "training.states") == "fp32-adam-16");
  CHECK(full.ignored.empty());
  CHECK(at(read(base + "finetuning_type: full\ndisable_gradient_checkpointing: true\n", kEight),
           "parallel.recompute") == "none");
  const ImportedRun adapters = read(base + "quantization_bit: 4\nlora_target: all\n", kEight);
  CHECK(adapters.ignored.empty());
  CHECK(at(adapters, "training.adapter") ==
        Json::parse(R"({"kind": "qlora", "rank": 8, "base_precision": "nf4"})"));
  CHECK(at(read(base + "finetuning_type: full\nuse_galore: true\n", kEight),
           "training.optimizer") == "galore");
  CHECK(refuses_at(read(base + "finetuning_type: full\nuse_apollo: true\n", kEight), "use_apollo"));
}

TEST_CASE("LLaMA-Factory's words for less memory") {
  const ImportedRun galore = read(kFactory +
                                      "finetuning_type: full\nuse_galore: true\n"
                                      "galore_rank: 64\ngalore_target: all\n"
                                      "galore_layerwise: true\ngalore_scale: 2.0\n",
                                  kEight);
  CHECK(at(galore, "training.optimizer") == "galore");
  CHECK(at(galore, "training.optimizer_rank") == 64);
  CHECK(at(galore, "training.states")["gradients"] == 0);
  CHECK_FALSE(refuses_at(galore, "galore"));
  CHECK(refuses_at(read(kFactory + "finetuning_type: full\nmixture_of_depths: convert\n", kEight),
                   "mixture_of_depths"));
  CHECK(at(read(kFactory + "finetuning_type: lora\nuse_unsloth_gc: true\n", kEight),
           "parallel.offload.activations") == "host");
}

TEST_CASE("LLaMA-Factory's parts of a model that stay, second models and compilers") {
  const std::string base =
      "model_name_or_path: meta-llama/Meta-Llama-3-8B\nstage: sft\nfinetuning_type: full\n"
      "template: llama3\ncutoff_len: 2048\nper_device_train_batch_size: 1\nbf16: true\n";
  for (const char* name : {"freeze_language_model", "train_mm_proj_only", "use_asft_loss"})
    CHECK(refuses_at(read(base + name + ": true\n", kEight), name));
  const ImportedRun r = read({{"a.yaml", base + "deepspeed: ds.json\ntorch_compile: true\n"},
                              {"ds.json", R"({"zero_optimization": {"stage": 3},
                                "bf16": {"enabled": true}})"}},
                             kEight);
  CHECK(is_named(r, "torch_compile"));
}

TEST_CASE("LLaMA-Factory's files for Megatron-Core are not Hugging Face's training") {
  const std::string head =
      "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 4096\n"
      "per_device_train_batch_size: 1\nbf16: true\npipeline_model_parallel_size: 2\n"
      "use_distributed_optimizer: true\n";
  const ImportedRun r = read(head, kEight);
  CHECK(at(r, "framework") == "megatron-core");
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "parallel.recompute") == "none");
  CHECK(at(r, "training.states").is_null());
  CHECK(at(read(head + "recompute_granularity: full\n", kEight), "parallel.recompute") == "full");
}

TEST_CASE("Files of LLaMA-Factory that train nothing stop, and its defaults are listed") {
  const std::string base =
      "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: lora\n"
      "cutoff_len: 2048\n";
  CHECK(refuses_at(read(base + "do_predict: true\nbf16: true\n", kEight), "do_predict"));
  CHECK(refuses_at(read(base + "do_train: false\nbf16: true\n", kEight), "do_train"));
  CHECK(refuses_at(read(base + "export_dir: out\nbf16: true\n", kEight), "export_dir"));
  CHECK(!refuses_at(read(base + "do_train: true\ndo_predict: true\nbf16: true\n", kEight), "do_"));
  CHECK(is_open(read(base + "do_train: true\n", kEight), "training.precision"));
  const ImportedRun default_value = read(base + "do_train: true\nbf16: true\n", kEight);
  const auto assumes = [&](const char* path, const char* value) {
    return std::any_of(
        default_value.assumed.begin(), default_value.assumed.end(),
        [&](const Fact& a) { return a.path == path && a.value.find(value) != std::string::npos; });
  };
  CHECK(assumes("training.micro_batch", "8"));
  CHECK(assumes("parallel.recompute", "full"));
  CHECK(assumes("training.adapter", "rank 8"));
}

TEST_CASE("The beginning of an argument is that argument, as its parser has it") {
  const std::string command =
      "torchrun --nproc_per_node 8 train.py --stage sft --finetuning_type lora --cutoff_len 512 "
      "--model_name_or_path meta-llama/Meta-Llama-3-8B --bf16 --per_device_train_batch_size 1 ";
  const ImportedRun r = read({{"a.sh", command + "--lora_r 300 --gradient_acc 4\n"}});
  CHECK(at(r, "training.adapter.rank") == 300);
  CHECK(at(r, "training.global_batch") == 32);
  CHECK(is_named(r, "--lora_r 300"));
  // Several arguments begin so.
  CHECK(refuses_at(read({{"a.sh", command + "--gradient 4\n"}}), "--gradient 4"));
  // No argument of LLaMA-Factory's, nor the beginning of one.
  CHECK(refuses_at(read({{"a.sh", command + "--max_seq_length 4096\n"}}), "max_seq_length"));
  CHECK(refuses_at(read({{"a.yaml", kFactory + "lora_r: 300\n"}}, kEight), "lora_r"));
}

}  // namespace orrery
