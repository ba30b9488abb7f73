// SPDX-License-Identifier: Apache-2.0
// Variables of MLPerf's submissions.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("MLPerf's variables of AMD and of checkpointed layers are read or named") {
  const std::string base =
      "export NNODES=2\nexport GPUS_PER_NODE=8\nexport MINIBS=1\n"
      "export TP=1\nexport PP=1\nexport CP=1\nexport MICRO_BATCH_SIZE=1\n";
  const ImportedRun some = read({{"config_a.sh", base + "export ACT_CKPT_LAYERS=21\n"}});
  CHECK(at(some, "cluster.gpus") == 16);
  CHECK(at(some, "training.global_batch") == 16);
  CHECK(at(some, "parallel.recompute") == "full");
  CHECK(at(some, "parallel.recompute_layers") == 21);
  CHECK(at(read({{"config_a.sh", base + "export ACT_CKPT_LAYERS=0\n"}}), "parallel.recompute") ==
        "none");
  CHECK(refuses_at(read({{"config_a.sh", base + "export FSDP_SHARDS=8\n"}}), "FSDP_SHARDS 8"));
  const ImportedRun primus = read({{"config_b.sh",
                                    "export DGXNNODES=1\nexport DGXNGPU=8\nexport PRIMUS_FP8=True\n"
                                    "export PRIMUS_MBS=2\nexport PRIMUS_GBS=16\n"}});
  CHECK(at(primus, "training.micro_batch") == 2);
  CHECK(at(primus, "training.global_batch") == 16);
  CHECK(at(primus, "training.precision") == "fp8");
}

TEST_CASE("MLPerf's sequences are of a replica") {
  const std::string common =
      "export FP8=True\nexport USE_DIST_OPTIMIZER=True\nexport MICRO_BATCH_SIZE=1\nexport "
      "MODEL_SIZE=\"405b\"\nexport SEQ_PARALLEL=True\n";
  const std::string config =
      "source $(dirname ${BASH_SOURCE[0]})/config_common.sh\nexport MINIBS=72\nexport "
      "TENSOR_MODEL_PARALLEL=2\nexport PIPELINE_MODEL_PARALLEL=8\n"
      "export CONTEXT_PARALLEL=2\nexport DGXNNODES=128\nexport DGXNGPU=4\n";
  const ImportedRun r = read({{"config_common.sh", common}, {"config_x.sh", config}},
                             R"({"parallel": {"recompute": "none"}})");
  CHECK(at(r, "cluster.gpus") == 512);
  CHECK(at(r, "training.global_batch") == 72 * 512 / 32);
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "model") == "llama-3-405b");
  CHECK(r.ignored.empty());
  const ImportedRun alone = read(config);
  CHECK(is_open(alone, "training.precision"));
  CHECK(refuses_at(alone, "source config_common.sh"));
}

TEST_CASE("MLPerf's 405B has sequences of 8,192 tokens, and other submitters other names") {
  const ImportedRun r = read(
      "export MODEL_SIZE=405b\nexport MINIBS=24\nexport DGXNNODES=64\nexport DGXNGPU=8\n"
      "export TENSOR_MODEL_PARALLEL=4\nexport PIPELINE_MODEL_PARALLEL=8\n"
      "export CONTEXT_PARALLEL=2\nexport FP8=True\n");
  CHECK(at(r, "training.sequence_length") == 8192);
  const ImportedRun small = read("export MODEL_SIZE=8b\nexport MINIBS=4\nexport FP8=True\n");
  CHECK(at(small, "model") == "llama-3-8b");
  CHECK(at(small, "training.sequence_length") == 8192);
  const ImportedRun amd = read(
      "export DGXSYSTEM=MI300X_1x8\nexport WORLD_SIZE=8\nexport TP=1\nexport PP=1\n"
      "export MBS=1\nexport GBS=8\nexport SEQ_LEN=8192\nexport FP8=True\nexport LORA_A2A=1\n");
  CHECK(at(amd, "cluster.gpus") == 8);
  CHECK(at(amd, "training.global_batch") == 8);
  CHECK(at(amd, "training.sequence_length") == 8192);
}

TEST_CASE("MLPerf's unfused attention and other numbers of layers") {
  const std::string base =
      "export MINIBS=32\nexport TENSOR_MODEL_PARALLEL=8\nexport DGXNNODES=8\nexport DGXNGPU=8\n"
      "export MICRO_BATCH_SIZE=1\nexport FP8=False\n";
  const std::string none = "export NVTE_FLASH_ATTN=0\nexport NVTE_FUSED_ATTN=0\n";
  CHECK(at(read({{"config.sh", base + none}}), "training.flash_attention") == false);
  CHECK(at(read({{"config.sh", base + "export NVTE_FLASH_ATTN=0\n"}}),
           "training.flash_attention") != false);
  CHECK(refuses_at(read({{"config.sh", base + "export NUM_DISTRIBUTED_OPTIMIZER_INSTANCES=4\n"}}),
                   "NUM_DISTRIBUTED_OPTIMIZER_INSTANCES"));
  CHECK(refuses_at(read({{"config.sh", base + "export OVERWRITTEN_NUM_LAYERS=4\n"}}),
                   "OVERWRITTEN_NUM_LAYERS"));
}

}  // namespace orrery
