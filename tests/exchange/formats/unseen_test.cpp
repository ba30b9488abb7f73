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

}  // namespace orrery
