// SPDX-License-Identifier: Apache-2.0
// What files that nobody had seen before taught: each kind of fault by a file of our own.
#include <doctest/doctest.h>

#include "core/error.h"
#include "whole_run.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

constexpr const char* kOnH100 = R"({"cluster": {"node": "dgx-h100"}})";

std::string ms_swift(const std::string& model) {
  return "NPROC_PER_NODE=4 swift sft --model " + model +
         " --train_type full --torch_dtype bfloat16 --per_device_train_batch_size 4"
         " --gradient_accumulation_steps 4 --max_length 2048 --deepspeed zero2\n";
}

std::string reason(const ImportedRun& r, const std::string& key) {
  for (const LeftOver& l : r.ignored) {
    if (l.is_refused && l.key == key) return l.setting + ": " + l.why;
  }
  return "";
}

}  // namespace

TEST_CASE("The name of a file may have a variable of the job in it") {
  const ImportedRun r = read(
      {{"job.yaml",
        "envs:\n  SIZE: 8B\nresources:\n  accelerators: H100:4\nrun: |\n"
        "  tune run --nproc_per_node 4 lora_finetune_distributed --config "
        "/mine/${SIZE}-lora.yaml\n"},
       {"8B-lora.yaml",
        "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"
        "  lora_attn_modules: [q_proj]\n  lora_rank: 16\ntokenizer:\n  max_seq_len: 1024\n"
        "dataset:\n  packed: true\nbatch_size: 2\ngradient_accumulation_steps: 4\ndtype: bf16\n"
        "enable_activation_checkpointing: true\n"}},
      kOnH100);
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.global_batch") == 32);
  CHECK(at(r, "training.adapter.rank") == 16);
}

TEST_CASE("Trainings that differ by their model ask for it") {
  const ImportedRun two = read({{"a.sh", "go() {\n  local MODEL=$1\n  " + ms_swift("$MODEL") +
                                             "}\ngo Qwen/Qwen3-0.6B\ngo Qwen/Qwen3-8B\n"}},
                               kOnH100);
  CHECK(at(two, "model").is_null());
  CHECK(reason(two, "model").find("Qwen/Qwen3-0.6B and Qwen/Qwen3-8B") != std::string::npos);
  const ImportedRun one = read({{"a.sh", ms_swift("Qwen/Qwen3-8B")}}, kOnH100);
  CHECK(at(one, "model") == "qwen3-8b");
}

TEST_CASE("A part of the model that no file says is asked for") {
  const std::string script = started_megatron("--bf16 --use-distributed-optimizer");
  CHECK_FALSE(is_open(whole(script), "model.vocab_size"));
  const std::size_t words = script.find(" --vocab-size 100");
  std::string without = script;
  without.erase(words, std::string(" --vocab-size 100").size());
  without.insert(words, " --tokenizer-type HuggingFaceTokenizer --tokenizer-model /mine");
  CHECK(is_open(whole(without), "model.vocab_size"));
}

TEST_CASE("A variable that must be set has no value by default") {
  const std::string start =
      "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen2.5-7B --bf16 true "
      "--gradient_checkpointing true --model_max_length 2048 --per_device_train_batch_size "
      "$MICRO\n";
  CHECK(is_open(read({{"a.sh", "MICRO=${MICRO:?say it}\n" + start}}, kOnH100),
                "training.micro_batch"));
  CHECK(at(read({{"a.sh", "MICRO=${MICRO:-3}\n" + start}}, kOnH100), "training.micro_batch") == 3);
}

TEST_CASE("A shell's hook prepares a training") {
  const ImportedRun r = read({{"a.sh", "eval \"$(conda shell.bash hook)\"\nconda activate mine\n" +
                                           ms_swift("Qwen/Qwen3-8B")}},
                             kOnH100);
  CHECK(at(r, "training.micro_batch") == 4);
}

TEST_CASE("A flag that no launcher has is named") {
  const std::string hf =
      "--model_name_or_path Qwen/Qwen2.5-7B --bf16 true --gradient_checkpointing true "
      "--model_max_length 2048 --per_device_train_batch_size 2\n";
  for (const std::string& launcher :
       {std::string("torchrun --nproc_per_nod 8"), std::string("deepspeed --nproc_per_nod 8"),
        std::string("python -m torch.distributed.run --nproc_per_nod 8")}) {
    CAPTURE(launcher);
    CHECK(is_named(read({{"a.sh", launcher + " train.py " + hf}}, kOnH100), "nproc_per_nod 8"));
    CHECK(is_named(read({{"a.sh", small_megatron(launcher, "--bf16")}}), "nproc_per_nod 8"));
  }
  const ImportedRun known =
      read({{"a.sh", "torchrun --nproc_per_node 8 --rdzv_id 3 --tee 3 train.py " + hf}}, kOnH100);
  CHECK_FALSE(is_named(known, "rdzv_id"));
  CHECK(at(known, "cluster.gpus") == 8);
}

TEST_CASE("A launcher that conda starts is a launcher") {
  const ImportedRun r = read(small_megatron("conda run -n env torchrun --nproc_per_node 8", ""));
  CHECK(at(r, "cluster.gpus") == 8);
  CHECK(at(r, "model.num_hidden_layers") == 10);
}

TEST_CASE("DeepSpeed's launcher names its GPUs by --include and -i") {
  for (const std::string flag :
       {"-i localhost:0,1", "--include localhost:0,1", "--include=h:4,5"}) {
    const ImportedRun r = read("deepspeed " + flag +
                               " train.py --model_name_or_path meta-llama/Llama-3.2-1B "
                               "--per_device_train_batch_size 2 --bf16 True --max_length 512\n");
    CHECK_MESSAGE(at(r, "cluster.gpus") == 2, flag);
    CHECK_MESSAGE(at(read(small_megatron("deepspeed " + flag, "")), "cluster.gpus") == 2, flag);
  }
}

TEST_CASE("A type of xpk's devices ends with the GPUs of a node") {
  const ImportedRun r = read(
      "xpk workload create --device-type h100-80gb-8 --num-nodes 2 --command \"python3 -m "
      "MaxText.train MaxText/configs/base.yml run_name=a per_device_batch_size=4\"\n");
  CHECK(at(r, "cluster.gpus") == 16);
}

TEST_CASE("A program of DeepSpeed's pipeline is not Megatron-LM's") {
  CHECK_THROWS_WITH_AS(
      read("torchrun --nproc-per-node 4 cli/train.py --max_seq_len 2048 --pipe_parallel_size 4 "
           "--model_parallel_size 1 --deepspeed_config ds.json\n"),
      doctest::Contains("a program of no tool that is read: train.py"), InputError);
  // Megatron-DeepSpeed's older releases name their stages so too.
  CHECK(at(read(started_megatron("--pipe-parallel-size 2")), "parallel.pp") == 2);
}

TEST_CASE("A program that is not read is named, and not its argument") {
  CHECK_THROWS_WITH_AS(read("torchrun --nproc_per_node=8 -m RL2.trainer.ppo "
                            "train_data.path=a rollout.env_path=envs/orz.py --x 1\n"),
                       doctest::Contains(": RL2.trainer.ppo"), InputError);
  CHECK_THROWS_WITH_AS(read("fairseq-train data/bin --arch transformer --max-tokens 8192\n"),
                       doctest::Contains("fairseq"), InputError);
}

TEST_CASE("A YAML that a script writes and starts is read") {
  const std::string script =
      "NAME=/tmp/run-$(date +%F).yml\nSIZE=2\ncat > ${NAME} << EOF\n"
      "base_model: meta-llama/Llama-3.2-1B\nsequence_len: 512\nmicro_batch_size: ${SIZE}\n"
      "gradient_accumulation_steps: 4\nbf16: true\nEOF\n"
      "accelerate launch -m axolotl.cli.train ${NAME}\n";
  const ImportedRun r = read({{"a.sh", script}}, R"({"cluster": {"gpus": 8}})");
  CHECK(at(r, "training.micro_batch") == 2);
  CHECK(at(r, "training.sequence_length") == 512);
}

TEST_CASE("A beginning of an argument counts for the tool's own programs alone") {
  const ImportedRun r = read(
      "python own.py --model_name meta-llama/Llama-3.2-1B --batch_size 4 --output_dir o --bf16 "
      "True "
      "--gradient_checkpointing True --max_length 512\n");
  CHECK_FALSE(is_named(r, "is taken for"));
}

TEST_CASE("A model that is given without a value is asked for") {
  const ImportedRun r = read(
      "python train.py --model_name_or_path --per_device_train_batch_size 2 "
      "--bf16 True --max_length 512\n");
  CHECK(at(r, "model").is_null());
  CHECK_FALSE(refuses_at(r, "model_name_or_path true"));
}

}  // namespace orrery
