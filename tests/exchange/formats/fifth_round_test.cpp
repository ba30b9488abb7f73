// SPDX-License-Identifier: Apache-2.0
// Settings that whole files of a kind were found to say in other words.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

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

TEST_CASE("Weights that are loaded in bf16 compute in bf16") {
  const std::string base =
      "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\n"
      "max_length: 1024\npacking: true\n";
  CHECK(at(read(base + "dtype: bfloat16\n"), "training.precision") == "bf16");
  CHECK(at(read(base + "dtype: bfloat16\nfp16: true\n"), "training.precision") == "fp16");
  CHECK(is_open(read(base + "torch_dtype: float16\n"), "training.precision"));
}

TEST_CASE("DeepSpeed's --include names GPUs one by one") {
  const std::string program =
      " run_clm.py --model_name_or_path gpt2 --block_size 256 --per_device_train_batch_size 1"
      " --fp16\n";
  CHECK(at(read("deepspeed --include localhost:0,2,3" + program), "cluster.gpus") == 3);
  CHECK(at(read("deepspeed --include=\"a:0,1@b:4,5\"" + program), "cluster.gpus") == 4);
  CHECK(at(read("deepspeed --include a@b:4,5" + program), "cluster.gpus").is_null());
}

TEST_CASE("A converter of the experts alone leaves the precision open") {
  const std::string base =
      "[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n"
      "converters = [\"quantize.grouped_mm.mx\"LINEAR]\n[training]\nlocal_batch_size = 4\n";
  const auto with = [&](const std::string& linear) {
    std::string text = base;
    return read(text.replace(text.find("LINEAR"), 6, linear));
  };
  CHECK(is_open(with(""), "training.precision"));
  CHECK(at(with(", \"quantize.linear.mx\""), "training.precision") == "mxfp8");
}

TEST_CASE("A second model of torchtune's PPO stops the import") {
  CHECK(stops_at(read("output_dir: x\nmodel:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                      "ref_policy_model:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                      "batch_size: 4\ndtype: bf16\n"),
                 "ref_policy_model"));
}

TEST_CASE("Automodel's quantization stands with the model too") {
  const ImportedRun r = read(
      "step_scheduler:\n  global_batch_size: 32\n  local_batch_size: 1\n"
      "model:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
      "  pretrained_model_name_or_path: Qwen/Qwen3-4B\n  quantization_config:\n"
      "    load_in_4bit: true\n    bnb_4bit_use_double_quant: true\n"
      "peft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  dim: 16\n"
      "  target_modules: [q_proj]\ndistributed:\n  strategy: ddp\n");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(at(r, "training.adapter.base_precision") == "nf4");
}

TEST_CASE("Ray's workers are the GPUs of LLaMA-Factory") {
  const ImportedRun r = read(
      "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 512\n"
      "bf16: true\nper_device_train_batch_size: 2\nray_num_workers: 4\n"
      "resources_per_worker:\n  GPU: 1\n");
  CHECK(at(r, "training.global_batch") == 8);
}

TEST_CASE("A script's own functions print arguments") {
  const std::string begin =
      "T=2\nwhile getopts \"t:\" o; do\n  case $o in t) T=$OPTARG;; esac\ndone\n"
      "shift $((OPTIND-1))\n"
      "size() {\n  case \"$1\" in\n    s) echo \"--ffn-hidden-size 128\";;\n"
      "    l) echo \"--ffn-hidden-size 512\";;\n  esac\n}\n"
      "common() {\n  cat <<E\n--bf16\n--recompute-granularity full\nE\n}\n"
      "other() { python3 x.py; }\n";
  const ImportedRun r = read(begin + started_megatron("$(common) $(size \"l\") "
                                                      "--tensor-model-parallel-size \"$T\""));
  CHECK(at(r, "model.intermediate_size") == 512);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(stops_at(read(begin + started_megatron("$(other)")), "$(other)"));
}

TEST_CASE("MindSpeed's flags that save memory stop the import") {
  CHECK(stops_at(read(started_megatron("--bf16 --reuse-fp32-param")), "--reuse-fp32-param"));
  CHECK(stops_at(read(started_megatron("--bf16 --swap-attention")), "--swap-attention"));
}

TEST_CASE("InternVL's checkpointing is a trainer's") {
  const ImportedRun r = read(
      "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\nmax_length: 1024\n"
      "packing: true\nbf16: true\ngrad_checkpoint: true\n");
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("sbatch --wrap starts a text") {
  const ImportedRun r =
      read("O=\"" + small_megatron("python", "--tensor-model-parallel-size 4 --fp16").erase(0, 7) +
           "\"\nsbatch -N 4 --ntasks-per-node=8 --gres=gpu:8 --wrap \"srun sh -c \\\"python "
           "$O\\\"\"\n");
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.precision") == "fp16");
}

TEST_CASE("torchrun's processes count where WORLD_SIZE is the running job's") {
  const ImportedRun r = read("export WORLD_SIZE=$JOB_SIZE\n" + started_megatron("--bf16"));
  CHECK(at(r, "cluster.gpus") == 8);
}

}  // namespace orrery
