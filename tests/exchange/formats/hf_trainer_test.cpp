// SPDX-License-Identifier: Apache-2.0
// Hugging Face's Trainer and what is built on it, as YAML, JSON and command lines.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kLlamaTrainer =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 2\n"
    "gradient_accumulation_steps: 4\nbf16: true\nmax_seq_length: 1024\n";

}  // namespace

TEST_CASE("Hugging Face's Trainer is not LLaMA-Factory, whose default is LoRA") {
  const ImportedRun r = read({{"sft.yaml", kLlamaTrainer}}, kEight);
  CHECK(at(r, "training.adapter").is_null());
  // TRL's files look the same, and checkpoint by default.
  CHECK(is_open(r, "parallel.recompute"));
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "training.sequence_length") == 1024);
  CHECK(at(r, "training.states") == "fp32-adam-16");
  // Weights that are loaded in bf16 stay so without FSDP and DeepSpeed.
  CHECK(at(read({{"a.yaml", kLlamaTrainer + "torch_dtype: bfloat16\n"}}, kEight),
           "training.states") == "pure-16bit");
  const ImportedRun adapted =
      read({{"a.yaml", kLlamaTrainer + "use_peft: true\nlora_target_modules: [q_proj, v_proj]\n"}},
           kEight);
  CHECK(at(adapted, "training.adapter.rank") == 16);
  CHECK(at(adapted, "training.adapter.targets") == Json({"query", "value"}));
  CHECK(
      is_open(read({{"a.yaml", kLlamaTrainer + "use_peft: true\n"}}, kEight), "training.adapter"));
  // Groups of answers make it TRL's, whose answers transformers makes without use_vllm.
  const ImportedRun grouped = read({{"a.yaml", kLlamaTrainer + "num_generations: 16\n"}}, kEight);
  CHECK(grouped.tool == "trl-post");
  CHECK(refuses_at(grouped, "use_vllm"));
  CHECK(
      refuses_at(read({{"a.yaml", kLlamaTrainer + "lora_enable: true\n"}}, kEight), "lora_enable"));
  const ImportedRun factory =
      read({{"a.yaml", kLlamaTrainer + "stage: sft\ntemplate: x\n"}}, kEight);
  CHECK(at(factory, "training.adapter.kind") == "lora");
}

TEST_CASE("A command line of Hugging Face's Trainer says what its YAML would") {
  const std::string command =
      "torchrun --nproc_per_node=4 train.py --model_name_or_path huggyllama/llama-7b "
      "--bf16 True --per_device_train_batch_size 4 --gradient_accumulation_steps 8 "
      "--model_max_length 2048 --gradient_checkpointing ";
  const ImportedRun r = read({{"a.sh", command + "--fsdp \"full_shard auto_wrap\"\n"}});
  CHECK(at(r, "model") == "llama-2-7b");
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.global_batch") == 128);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.recompute") == "full");
  const ImportedRun z2 = read({{"a.sh", command + "--deepspeed z2.json\n"},
                               {"z2.json",
                                R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"},
                                    "train_micro_batch_size_per_gpu": "auto"})"}});
  CHECK(at(z2, "parallel.zero") == 2);
  CHECK(at(z2, "training.precision") == "bf16");
  CHECK(is_open(read({{"a.sh", command + "--deepspeed z2.json\n"}}), "parallel.zero"));
  CHECK(refuses_at(
      read({{"a.sh", command + "--vision_tower clip --pretrain_mm_mlp_adapter x.bin\n"}}),
      "vision_tower"));
  const std::string preferences =
      "accelerate launch --num_processes 8 kto.py " + command.substr(command.find("--model"));
  CHECK(refuses_at(read({{"a.sh", preferences + "\n"}}), "kto.py"));
  const ImportedRun factory =
      read({{"a.sh", command + "--finetuning_type full --cutoff_len 512 --stage sft\n"}});
  CHECK(at(factory, "training.sequence_length") == 512);
  CHECK(at(factory, "training.adapter").is_null());
}

TEST_CASE("Flags behind a program change the settings of the file that it starts") {
  const ImportedRun r =
      read({{"job.sh",
             "accelerate launch --num_processes 8 --gradient_accumulation_steps 9 sft.py --config "
             "sft.yaml --gradient_accumulation_steps 2 --gradient_checkpointing\n"},
            {"sft.yaml", kLlamaTrainer}});
  CHECK(at(r, "training.global_batch") == 32);
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("Hugging Face's TrainingArguments in JSON are no file of DeepSpeed") {
  const ImportedRun r =
      read({{"args.json", R"({"model_name_or_path": "gpt2", "per_device_train_batch_size": 8,
                         "bf16": true, "block_size": 512})"}},
           kEight);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.sequence_length") == 512);
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("Habana's fork says its optimizer and its checkpoints in its own words") {
  const ImportedRun r = read(started_megatron(
      "--bf16 --deepspeed --zero-stage 0 --optimizer fusedadamw --use-fused-sdpa 1 "
      "--checkpoint-activations --checkpoint-activations-granularity selective"));
  CHECK(at(r, "parallel.recompute") == "selective");
  CHECK(at(r, "training.flash_attention") == true);
  CHECK_FALSE(is_open(r, "training.optimizer"));
}

TEST_CASE("Weights that are loaded in bf16 compute in bf16") {
  const std::string base =
      "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\n"
      "max_length: 1024\npacking: true\n";
  CHECK(at(read(base + "dtype: bfloat16\n"), "training.precision") == "bf16");
  CHECK(at(read(base + "dtype: bfloat16\nfp16: true\n"), "training.precision") == "fp16");
  CHECK(is_open(read(base + "torch_dtype: float16\n"), "training.precision"));
}

TEST_CASE("InternVL's checkpointing is a trainer's") {
  const ImportedRun r = read(
      "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\nmax_length: 1024\n"
      "packing: true\nbf16: true\ngrad_checkpoint: true\n");
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("A program that Accelerate launches says its training beside Accelerate's file") {
  const std::string launch =
      "distributed_type: FSDP\nnum_processes: 16\nnum_machines: 2\n"
      "mixed_precision: bf16\nfsdp_config:\n  fsdp_offload_params: false\n";
  const ImportedRun r =
      read({{"fsdp.yaml", launch},
            {"run.sh",
             "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n"
             "# {'train_runtime': 5268.8}\nmicro_batch_size=1\n"
             "accelerate launch --config_file fsdp.yaml sft.py --model_name_or_path "
             "meta-llama/Meta-Llama-3-8B --per_device_train_batch_size=${micro_batch_size} "
             "--gradient_accumulation_steps 4 --gradient_checkpointing\n"}});
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "cluster.gpus") == 16);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("A fsdp_config in a file of its own is read where a command names it") {
  const std::string command =
      "torchrun --nproc_per_node 8 sft.py --model_name "
      "Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --bf16 true "
      "--fsdp \"full_shard auto_wrap\" --fsdp_config train/fsdp.json\n";
  CHECK(refuses_at(read({{"a.sh", command}}), "fsdp_config"));
  const ImportedRun r = read({{"a.sh", command},
                              {"fsdp.json",
                               "{\"transformer_layer_cls_to_wrap\": [\"Qwen2DecoderLayer\"], "
                               "\"activation_checkpointing\": true, \"xla\": false}"}});
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK_FALSE(refuses_at(r, "fsdp_config"));
}

TEST_CASE("A flag alone for DeepSpeed leaves open what the program says of it") {
  const ImportedRun r =
      read({{"a.sh",
             "ZERO=$1\nif [ \"$ZERO\" == \"\" ]; then\n  ZERO=2\nfi\n"
             "deepspeed --num_gpus 8 main.py --model_name_or_path gpt2 "
             "--per_device_train_batch_size 4 --zero_stage $ZERO --deepspeed\n"}});
  CHECK(at(r, "parallel.zero") == 2);
  CHECK(at(r, "framework") == "deepspeed");
  CHECK(is_open(r, "training.precision"));
}

TEST_CASE("A checkpoint says the type of weights that nothing makes fp32") {
  const std::string automatic = kQwenTrainer + "torch_dtype: auto\n";
  CHECK(is_open(read(automatic + "bf16: true\n", kEight), "training.states"));
  CHECK(is_open(read(automatic, kEight), "training.precision"));
  CHECK(at(read(automatic + "bf16: true\nfsdp: full_shard\n", kEight), "training.states") ==
        "fsdp-amp");
  CHECK_FALSE(
      is_open(read(automatic + "bf16: true\nuse_peft: true\nlora_target_modules: all\n", kEight),
              "training.states"));
}

TEST_CASE("qlora.py trains adapters beside 4 bits unless it is told otherwise") {
  const std::string command =
      "python qlora.py --model_name_or_path huggyllama/llama-7b --bf16 --lora_modules all "
      "--source_max_len 16 --target_max_len 512 ";
  const ImportedRun r = read(command, R"({"cluster": {"gpus": 1}})");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(at(r, "training.adapter.rank") == 64);
  CHECK(at(r, "training.adapter.targets").is_null());
  CHECK(at(r, "training.sequence_length") == 528);
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(read(command + "--bits 8"), "training.adapter.base_precision") == "int8");
  CHECK(at(read(command + "--bits 16"), "training.adapter.kind") == "lora");
  CHECK(at(read(command + "--full_finetune --bits 16"), "training.adapter").is_null());
  CHECK(refuses_at(read(command + "--quant_type fp4"), "quant_type"));
}

TEST_CASE("TrainingArguments may hold DeepSpeed's settings themselves") {
  const ImportedRun r =
      read({{"args.json", R"({"model_name_or_path": "gpt2-xl", "per_device_train_batch_size": 2,
                              "block_size": 512, "bf16": true, "deepspeed": {"bf16": {"enabled": "auto"},
                              "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}})"}},
           kEight);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.offload.optimizer") == "host");
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.global_batch") == 16);
}

TEST_CASE("A configuration that a command changes is another model") {
  CHECK(refuses_at(read("python run_clm.py --model_type gpt2 --config_overrides n_layer=48 "
                        "--block_size 1024 --per_device_train_batch_size 8 --bf16\n",
                        R"({"model": "gpt2", "cluster": {"gpus": 1}})"),
                   "config_overrides"));
}

TEST_CASE("Defaults of TRL's command are named, with their release") {
  const std::string base =
      "trl sft --model_name_or_path Qwen/Qwen3-4B --max_length 1024 --packing True"
      " --per_device_train_batch_size 2";
  const ImportedRun r = read(base + "\n", kEight);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "parallel.recompute") == "full");
  for (const char* key : {"training.precision", "parallel.recompute"}) {
    const Fact* fact = find_fact(r.assumed, key);
    REQUIRE(fact != nullptr);
    CHECK(fact->why.find("TRL's default (1.9") != std::string::npos);
  }
  CHECK(find_fact(read(base + " --bf16\n", kEight).assumed, "training.precision") == nullptr);
  CHECK(at(read(base + " --bf16 --gradient_checkpointing\n", kEight), "parallel.recompute") ==
        "full");
}

TEST_CASE("Names of optimizers that only sound like Adam leave its states open") {
  for (const char* name : {"grokadamw", "flash_adamw", "adamax", "adam_mini", "apollo_adamw"})
    CHECK(is_open(read(kPackedTrainer + "optim: " + name + "\n", kEight), "training.optimizer"));
  for (const char* name : {"adamw_torch_fused", "schedule_free_adamw", "stable_adamw"})
    CHECK(!is_open(read(kPackedTrainer + "optim: " + name + "\n", kEight), "training.optimizer"));
  CHECK(at(read(kPackedTrainer + "adafactor: true\n", kEight), "training.optimizer") ==
        "adafactor");
}

TEST_CASE("Degrees and batches of TrainingArguments") {
  const ImportedRun r = read(kPackedTrainer + "tp_size: 4\n", kEight);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(refuses_at(read(kPackedTrainer + "use_cpu: true\n", kEight), "use_cpu"));
  CHECK(refuses_at(read(kPackedTrainer + "split_batches: true\n", kEight), "split_batches"));
  CHECK(refuses_at(read(kPackedTrainer + "parallelism_config: p.yaml\n", kEight),
                   "parallelism_config"));
}

TEST_CASE("Degrees of a trainer's file that are not the world stop the import") {
  const std::string shards = kAxolotl +
                             "bf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: "
                             "true}\ndp_shard_size: 4\ntensor_parallel_size: ";
  CHECK(refuses_at(read(shards + "4\n", kEight), "dp_shard_size"));
  CHECK_FALSE(refuses_at(read(shards + "2\n", kEight), "dp_shard_size"));
  CHECK(
      refuses_at(read(kAxolotl + "bf16: true\nunfrozen_parameters: ['^lm_head.weight$']\n", kEight),
                 "unfrozen_parameters"));
  const ImportedRun hybrid = read(
      "distributed_type: FSDP\nmixed_precision: bf16\nnum_machines: 4\nnum_processes: 32\n"
      "fsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD}\n");
  CHECK(at(hybrid, "parallel.zero_shard_group") == 8);
}

TEST_CASE("SGD without momentum keeps nothing beside weights and gradients") {
  const auto states = [](const std::string& text) {
    return at(read(text, kEight), "training.states");
  };
  const Json plain = states(kAxolotl + "bf16: true\noptimizer: sgd\n");
  CHECK(plain["weights"] == 2);
  CHECK(plain["optimizer"] == 0);
  const Json sharded =
      states(kAxolotl + "bf16: true\noptimizer: sgd\nfsdp_config:\n  fsdp_version: 2\n");
  CHECK(sharded["weights"] == 4);
  CHECK(sharded["gathered"] == 2);
  const Json wide = states(kAxolotl +
                           "bf16: false\ntf32: true\noptimizer: sgd\nfsdp_config:\n"
                           "  fsdp_version: 2\n");
  CHECK(wide["gathered"] == 4);
  const std::string tune =
      "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\ndtype: bf16\n"
      "optimizer: {_component_: torch.optim.SGD, momentum: ";
  CHECK(states(tune + "0.9}\n")["optimizer"] == 2);
  CHECK(states(tune + "0}\n")["optimizer"] == 0);
}

TEST_CASE("A setting that may shard the model, and that no rule reads, leaves its stage open") {
  const std::string start =
      "torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 "
      "--per_device_train_batch_size 1 --model_max_length 2048 ";
  CHECK(at(read(start), "parallel.zero") == 0);
  CHECK(at(read(start + "--deepspeed_stage 3"), "parallel.zero") == 3);
  CHECK(is_open(read(start + "--my_deepspeed_plan three"), "parallel.zero"));
  CHECK(is_open(read(start + "--use_my_fsdp"), "parallel.zero"));
}

}  // namespace orrery
