// SPDX-License-Identifier: Apache-2.0
// What nobody gave is asked for or named: files that are not given, other programs, second stages.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("A comment's word and a program's name make no training one of Megatron-LM") {
  for (const std::string text :
       {"# not Megatron\nDISTRIBUTED=\"--nproc_per_node 8\"\ntorchrun $DISTRIBUTED train_vl.py "
        "configs/a.yaml --note x\n",
        "accelerate launch scripts/pretrain_mae.py --data x --epochs 3\n",
        "torchrun --nproc_per_node 8 run_it.py --tensor_parallel_size 8 --lr 3\n"}) {
    const std::string error = import_error("a.sh", text);
    CHECK_MESSAGE(error.find("of no tool that is read") != std::string::npos, text);
  }
}

TEST_CASE("A file of settings that a Megatron command names is asked for") {
  CHECK(refuses_at(read(started_megatron("--bf16 --config base.yaml")), "--config"));
  CHECK(refuses_at(read(started_megatron("--bf16 --deepspeed_config ds.json")),
                   "--deepspeed_config"));
}

TEST_CASE("A file in place of a value is read where it is given, and asked for where it is not") {
  const std::string text =
      "data: !include data.yaml\nmodel: {type: llama, hidden_dim: 2048, intermediate_dim: 5632, "
      "num_heads: 16, num_kv_heads: 16, num_layers: 24, seq_len: 2048}\n"
      "trainer: {train_batch_size: 64, mp: \"p=f32,c=bf16\"}\n";
  CHECK(refuses_at(read({{"a.yaml", text}}, kEight), "data !include data.yaml"));
  const ImportedRun r =
      read({{"a.yaml", text}, {"data.yaml", "tokenizer: EleutherAI/gpt-neox-20b\n"}}, kEight);
  CHECK(at(r, "model.vocab_size") == 50277);
  CHECK_FALSE(refuses_at(r, "data"));
}

TEST_CASE("A second training of a script, by another program, is named") {
  const ImportedRun r =
      read({{"a.sh",
             "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain "
             "meta-llama/Meta-Llama-3-8B --train_batch_size 128 --micro_train_batch_size 2 --bf16 "
             "--max_len 2048 --zero_stage 2\n"
             "trl dpo --model_name_or_path meta-llama/Meta-Llama-3-8B\n"}});
  CHECK(is_named(r, "openrlhf.cli.train_sft"));
}

TEST_CASE("A batch that its own parts contradict is refused") {
  const std::string sizes =
      "num-layers: 12\nhidden-size: 768\nnum-attention-heads: 12\nseq-length: 2048\n"
      "max-position-embeddings: 2048\npos-emb: rotary\nmodel-parallel-size: 2\n"
      "train_batch_size: 64\ntrain_micro_batch_size_per_gpu: 4\n";
  CHECK(refuses_at(read({{"a.yml", sizes + "gradient_accumulation_steps: 1\n"}}, kEight),
                   "train_batch_size"));
  CHECK_FALSE(refuses_at(read({{"a.yml", sizes + "gradient_accumulation_steps: 4\n"}}, kEight),
                         "train_batch_size"));
}

// Names as torchtitan has them, among many that it does not.
TEST_CASE("A file most of whose settings a tool does not have is of another program") {
  std::string text =
      "model: {name: mine}\ntraining: {local_batch_size: 8, global_batch_size: 64, seq_len: 2048, "
      "steps: 10}\noptimizer: {name: AdamW, lr: 0.001}\nparallelism: {tensor_parallel_degree: 1}\n";
  const std::string few = text + "extra: {a1: 1, a2: 2}\n";
  text += "extra: {";
  for (int i = 1; i <= 20; ++i) text += "a" + std::to_string(i) + ": " + std::to_string(i) + ", ";
  const std::string error = import_error("a.yaml", text + "a21: 21}\n");
  CHECK_MESSAGE(error.find(" does not have (") != std::string::npos, error);
  CHECK(import_error("a.yaml", few).find(" does not have (") == std::string::npos);
}

}  // namespace orrery
