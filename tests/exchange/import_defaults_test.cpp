// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "exchange/foreign.h"
#include "exchange/import_fit.h"
#include "exchange/names.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::with;

// As `orrery import` does it: read, fitted to what the flags say, and under the flags.
ImportedRun imported(ForeignFormat format, const std::string& text, const Json& flags) {
  ImportedRun r = import_run(format, text, "x", flags);
  fit_import(r, flags, testing::shipped_configs());
  merge_over(r.run, flags);
  return r;
}

bool is_assumed(const ImportedRun& r, const std::string& path) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Assumed& a) { return a.path == path; });
}

}  // namespace

TEST_CASE("a TOML of torchtitan that does not speak of checkpoints has torchtitan's default") {
  const std::string text =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
      "local_batch_size = 2\nseq_len = 8192\n";
  const Json flags = json_of(R"({"cluster": {"node": "dgx-h100", "gpus": 16}})");
  const auto toml = [&](const std::string& more, const Json& given) {
    return imported(ForeignFormat::torchtitan_toml, text + more, given);
  };
  const ImportedRun r = toml("", flags);
  CHECK(value_at(r.run, "parallel.recompute") == "full");
  CHECK(value_at(r.run, "parallel.recompute_method") == "block");
  CHECK(value_at(r.run, "parallel.recompute_layers") == 16);
  CHECK(is_assumed(r, "parallel.recompute"));
  const ImportedRun third =
      toml("[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"3\"\n", flags);
  CHECK(value_at(third.run, "parallel.recompute_layers") == 10);
  const ImportedRun op =
      toml("[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"op\"\n", flags);
  CHECK(value_at(op.run, "parallel.recompute") == "selective");
  const ImportedRun said = toml("", with(flags, R"({"parallel": {"recompute": "none"}})"));
  CHECK(value_at(said.run, "parallel.recompute_method").is_null());
  CHECK_FALSE(is_assumed(said, "parallel.recompute"));
}

TEST_CASE("another profile takes over the switches it has, and no others") {
  const std::string base =
      "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
      "--global-batch-size 128 --vocab-size 50257 --bf16 --tensor-model-parallel-size 2 "
      "--use-distributed-optimizer ";
  for (const char* framework : {"megatron-lm", "megatron-deepspeed", "generic", "fsdp",
                                "torchtitan", "deepspeed", "megatron-core"}) {
    CAPTURE(framework);
    const Json flags = with(json_of(R"({"cluster": {"node": "dgx-a100-80gb", "gpus": 64}})"),
                            std::string(R"({"framework": ")") + framework + "\"}");
    const ImportedRun r = imported(ForeignFormat::megatron, base, flags);
    CHECK_NOTHROW(testing::resolved(r.run));
    CHECK_FALSE(is_assumed(r, "framework"));
  }
  const Json fsdp = json_of(R"({"framework": "fsdp"})");
  const ImportedRun given =
      imported(ForeignFormat::megatron, base + "--overlap-grad-reduce --tp-comm-overlap", fsdp);
  CHECK(value_at(given.run, "parallel.framework_options").is_null());
  CHECK(value_at(given.run, "parallel.overlap.grad_reduce") == true);
  REQUIRE(given.not_understood.size() == 1);
  CHECK(given.not_understood[0].setting == "tp_comm_overlap true");
}

TEST_CASE("Megatron-LM keeps gradients of fp16 in 16 bits unless it is told to") {
  const auto states = [](const std::string& more) {
    const std::string text = "--num-layers 2 --hidden-size 64 --num-attention-heads 8 ";
    const ImportedRun r = import_run(ForeignFormat::megatron, text + more, "x", Json());
    return value_at(r.run, "training.states");
  };
  CHECK(states("--fp16") == "lecture-20");
  CHECK(states("--fp16 --accumulate-allreduce-grads-in-fp32") == "adam-fp32-gradients-18");
  CHECK(states("--bf16") == "adam-fp32-gradients-18");
}

TEST_CASE("latent attention with its norms is read as the model it is") {
  const std::string text =
      "--num-layers 4 --hidden-size 512 --num-attention-heads 8 --multi-latent-attention ";
  const auto read = [&](const std::string& more) {
    return import_run(ForeignFormat::megatron, text + more, "x", Json());
  };
  CHECK(value_at(read("--qk-layernorm").run, "model.qk_norm").is_null());
  CHECK_FALSE(is_assumed(read("--qk-layernorm --kv-lora-rank 64"), "model.kv_lora_rank"));
  CHECK(is_assumed(read("--kv-lora-rank 64"), "model.kv_lora_rank"));
}

}  // namespace orrery
