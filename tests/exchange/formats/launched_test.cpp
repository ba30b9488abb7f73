// SPDX-License-Identifier: Apache-2.0
// Launchers, and the files that a launched program reads beside its arguments.
#include <doctest/doctest.h>

#include "core/error.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

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

TEST_CASE("A fsdp_config in a file of its own is read where a command names it") {
  const std::string command =
      "torchrun --nproc_per_node 8 sft.py --model_name "
      "Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --bf16 true "
      "--fsdp \"full_shard auto_wrap\" --fsdp_config train/fsdp.json\n";
  CHECK(stops_at(read({{"a.sh", command}}), "fsdp_config"));
  const ImportedRun r = read({{"a.sh", command},
                              {"fsdp.json",
                               "{\"transformer_layer_cls_to_wrap\": [\"Qwen2DecoderLayer\"], "
                               "\"activation_checkpointing\": true, \"xla\": false}"}});
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK_FALSE(stops_at(r, "fsdp_config"));
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

TEST_CASE("Variables before run_train.sh are torchtitan's launcher and configuration") {
  const std::string toml =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
      "local_batch_size = 2\nseq_len = 4096\n";
  const ImportedRun r = read(
      {{"a.sh", "CONFIG_FILE=\"./configs/b.toml\" NGPU=4 ./run_train.sh\n"}, {"b.toml", toml}});
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.global_batch") == 8);
  const ImportedRun later =
      read({{"a.sh",
             "NGPU=8 MODULE=llama3 CONFIG=llama3_70b ./run_train.sh --training.seq_len 4096\n"}});
  CHECK(at(later, "model") == "llama-3-70b");
  CHECK(at(later, "cluster.gpus") == 8);
}

TEST_CASE("Quoted places to fill in of several words move nothing") {
  const ImportedRun r = read({{"a.sh", "TOKENIZER=\"your tokenizer path\"\n" +
                                           started_megatron("--tokenizer-model $TOKENIZER")}});
  CHECK(at(r, "training.micro_batch").is_number());
}

TEST_CASE("Trainers that are installed by name take their settings behind it") {
  const std::string more =
      " --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 "
      "--gradient_accumulation_steps 4 --bf16 true ";
  const ImportedRun r =
      read({{"a.sh",
             "NPROC_PER_NODE=8 NNODES=2 FORCE_TORCHRUN=1 llamafactory-cli train --stage sft "
             "--finetuning_type full --cutoff_len 4096" +
                 more + "\n"}});
  CHECK(at(r, "model") == "qwen2.5-7b");
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(stops_at(read({{"a.sh", "trl dpo" + more + "\n"}}), "trl dpo"));
}

TEST_CASE("Tables of torchtitan in a YAML are torchtitan's, and DeepSpeed's Muon is ours") {
  const ImportedRun r = read({{"a.yaml",
                               "model:\n  name: llama3\n  flavor: 8B\nprocesses:\n  procs: 8\n"
                               "training:\n  local_batch_size: 1\n  seq_len: 2048\n"
                               "parallelism:\n  tensor_parallel_degree: 2\n"
                               "activation_checkpoint:\n  mode: full\n"}});
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(
      at(read({{"a.json", "{\"bf16\": {\"enabled\": true}, \"optimizer\": {\"type\": \"Muon\"}}"}}),
         "training.optimizer") == "muon");
}

TEST_CASE("No layers to recompute, and a null in their place, are no recompute") {
  const std::string mlperf =
      "export DGXNNODES=1\nexport DGXNGPU=8\nexport MINIBS=4\n"
      "export ACT_CKPT_GRANULARITY=full\nexport ACT_CKPT_METHOD=block\n";
  CHECK(at(read({{"config_a.sh", mlperf + "export ACT_CKPT_NUM_LAYERS=0\n"}}),
           "parallel.recompute") == "none");
  CHECK(at(read({{"config_a.sh", mlperf + "export ACT_CKPT_NUM_LAYERS=2\n"}}),
           "parallel.recompute") == "full");
  const std::string primus =
      "modules:\n  pre_trainer:\n    framework: megatron\n"
      "    config: pre_trainer.yaml\n    overrides:\n"
      "      micro_batch_size: 2\n";
  CHECK(at(read({{"a.yaml", primus + "      recompute_granularity: null\n"}}),
           "parallel.recompute") == "none");
  CHECK(is_open(read({{"a.yaml", primus}}), "parallel.recompute"));
}

TEST_CASE("A script that only converts a checkpoint is no training") {
  CHECK_THROWS_WITH_AS(read({{"a.sh",
                              "python tools/checkpoint/convert.py --model-type GPT --bf16 "
                              "--target-tensor-parallel-size 4\n"}}),
                       doctest::Contains("no setting of Megatron-LM"), InputError);
}

}  // namespace orrery
