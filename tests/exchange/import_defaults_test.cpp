// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "exchange/foreign.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/settings.h"
#include "memory/memory_lines.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::with;

const char* const kWhat = R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
                              "training": {"sequence_length": 4096}})";

const ConfigLookup& shipped() {
  static const ConfigLookup lookup = testing::shipped_configs();
  return lookup;
}

// The steps of `orrery import`: read, fit to the flags, put the flags over it.
ImportedRun imported(ForeignFormat format, const std::string& text, const Json& flags) {
  const ConfigLookup& lookup = shipped();
  ImportedRun r = import_run(format, text, "x", flags, &lookup);
  fit_import(r, flags, lookup);
  merge_over(r.run, flags);
  return r;
}

ImportedRun from_deepspeed(const std::string& text) {
  return imported(ForeignFormat::deepspeed, text, json_of(kWhat));
}

bool is_assumed(const ImportedRun& r, const std::string& path) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Fact& a) { return a.path == path; });
}

bool speaks_of(const std::vector<std::string>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& s) { return s.rfind(name, 0) == 0; });
}

StageMemory<double> memory_of(const Json& run) {
  return estimate(testing::resolved(run).run).memory;
}

}  // namespace

TEST_CASE("checkpoints on the host are of checkpointed layers") {
  const std::string base = R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,
      "bf16": {"enabled": true}, "zero_optimization": {"stage": 3})";
  const ImportedRun r =
      from_deepspeed(base + R"(, "activation_checkpointing": {"cpu_checkpointing": true}})");
  CHECK(value_at(r.run, "parallel.recompute") == "full");
  CHECK(value_at(r.run, "parallel.offload.activations") == "host");
  CHECK(is_assumed(r, "parallel.recompute"));
  // Inputs of 32 layers, 2 x 4096 x 4096 of 2 bytes each, and not all that a layer would keep.
  const Run run = testing::resolved(r.run).run;
  const double inputs = 32.0 * 2 * 4096 * 4096 * 2;
  CHECK(estimate(run).memory.host.si() < 1.2 * inputs);
  const ImportedRun none =
      from_deepspeed(base + R"(, "pipeline": {"activation_checkpoint_interval": 0},
      "activation_checkpointing": {"cpu_checkpointing": true}})");
  CHECK(value_at(none.run, "parallel.offload.activations").is_null());
  CHECK(speaks_of(none.without_effect, "activation_checkpointing.cpu_checkpointing"));
}

TEST_CASE("checkpoints on the host are written of a run that has both, and of no other") {
  const Json run = with(json_of(kWhat), R"({"training": {"global_batch": 128},
      "framework": "deepspeed", "parallel": {"zero": 3, "recompute": "full",
                                             "offload": {"activations": "host"}}})");
  const auto text = [](const Json& j) {
    return export_run(ForeignFormat::deepspeed, testing::resolved(j), j, testing::shipped_configs())
        .text;
  };
  CHECK(text(run).find("cpu_checkpointing") != std::string::npos);
  CHECK(text(with(run, R"({"parallel": {"recompute": "none"}})")).find("cpu_checkpointing") ==
        std::string::npos);
  const ImportedRun back = from_deepspeed(text(run));
  CHECK(memory_of(back.run).peak == memory_of(run).peak);
}

TEST_CASE("what DeepSpeed keeps gathered and how it keeps gradients move memory") {
  const auto config = [](const std::string& more) {
    return R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,
               "bf16": {"enabled": true}, )" +
           more + "}";
  };
  const std::string zero3 = R"("zero_optimization": {"stage": 3})";
  const auto memory = [&](const std::string& more) {
    return memory_of(
        with(from_deepspeed(config(more)).run, R"({"parallel": {"recompute": "full"}})"));
  };
  const auto plain = memory(zero3);
  const auto live =
      memory(R"("zero_optimization": {"stage": 3, "stage3_max_live_parameters": 6e9})");
  CHECK(live[MemoryLine::gathered_weights] > plain[MemoryLine::gathered_weights]);
  const auto wide = memory(zero3 + R"(, "data_types": {"grad_accum_dtype": "fp32"})");
  CHECK(wide[MemoryLine::gradients] == 2.0 * plain[MemoryLine::gradients]);
  const ImportedRun r =
      from_deepspeed(config(zero3 + R"(, "data_types": {"grad_accum_dtype": "fp32"},
                         "communication_data_type": "fp32")"));
  CHECK(value_at(r.run, "training.states") == "adam-fp32-gradients-18");
  CHECK_FALSE(speaks_of(r.without_effect, "data_types"));
  const ImportedRun bucket =
      from_deepspeed(config(R"("zero_optimization": {"stage": 1, "stage3_max_live_parameters": 6e9,
                                      "reduce_bucket_size": 1e8})"));
  CHECK(speaks_of(bucket.without_effect, "zero_optimization.stage3_max_live_parameters (of"));
  CHECK(bucket.ignored.empty());
  CHECK(value_at(bucket.run, "parallel.framework_options.reduce_bucket_size") == 100'000'000);
}

TEST_CASE("one of DeepSpeed's batch sizes is enough where the GPUs are known") {
  const char* micro = R"({"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}})";
  CHECK(value_at(from_deepspeed(micro).run, "training.global_batch") == 4 * 64);
  CHECK(value_at(from_deepspeed(R"({"train_batch_size": 128})").run, "training.micro_batch") == 2);
  CHECK_THROWS_AS(from_deepspeed(R"({"train_batch_size": 100})"), InputError);
  const ImportedRun open = imported(ForeignFormat::deepspeed, micro, Json::object());
  REQUIRE(open.ignored.size() == 1);
  CHECK(open.ignored[0].why.find("--gpus") != std::string::npos);
  const ImportedRun automatic = from_deepspeed(
      R"({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto"})");
  CHECK(value_at(automatic.run, "training.global_batch").is_null());
}

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
  const ImportedRun stated = toml("", with(flags, R"({"parallel": {"recompute": "none"}})"));
  CHECK(value_at(stated.run, "parallel.recompute_method").is_null());
  CHECK_FALSE(is_assumed(stated, "parallel.recompute"));
}

TEST_CASE("another profile takes over the switches it has, and no others") {
  const std::string base =
      "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
      "--global-batch-size 128 --micro-batch-size 1 --vocab-size 50257 --bf16 "
      "--tensor-model-parallel-size 2 "
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
  REQUIRE(given.ignored.size() == 1);
  CHECK(given.ignored[0].setting == "tp_comm_overlap true");
}

TEST_CASE("Megatron-LM keeps gradients of fp16 in 16 bits unless it is told to") {
  const auto states = [](const std::string& more) {
    const std::string text = "--num-layers 2 --hidden-size 64 --num-attention-heads 8 ";
    const ImportedRun r = import_run(ForeignFormat::megatron, text + more, "x", Json(), &shipped());
    return value_at(r.run, "training.states");
  };
  CHECK(states("--fp16") == "adam-fp16-gradients-20");
  CHECK(states("--fp16 --accumulate-allreduce-grads-in-fp32") == "adam-fp32-gradients-18");
  CHECK(states("--bf16") == "adam-fp32-gradients-18");
}

TEST_CASE("a training of Megatron-DeepSpeed ends by its tokens") {
  const auto tokens = [](const std::string& more) {
    const std::string text =
        "--num-layers 2 --hidden-size 64 --num-attention-heads 8 --seq-length 100 "
        "--global-batch-size 8 ";
    return value_at(import_run(ForeignFormat::megatron, text + more, "x", Json(), &shipped()).run,
                    "training.tokens");
  };
  CHECK(tokens("--train-samples 1000 --train-tokens 5000") == 5000);
  CHECK(tokens("--train-samples 1000") == 100000);
  CHECK(tokens("--train-iters 10") == 8000);
}

TEST_CASE("a tokenizer named after a model has its vocabulary") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto vocabulary = [&](const std::string& more) {
    const std::string text = "--num-layers 2 --hidden-size 64 --num-attention-heads 8 ";
    const ImportedRun r = import_files({{{"a.sh", text + more}}, {}, json_of("{}"), {}, &lookup});
    return value_at(r.run, "model.vocab_size");
  };
  CHECK(vocabulary("--tokenizer-type HuggingFaceTokenizer --tokenizer-model "
                   "meta-llama/Llama-3.1-8B") == 128256);
  CHECK(vocabulary("--tokenizer-model meta-llama/Llama-3.1-8B --vocab-size 32000") == 32000);
  CHECK(vocabulary("--tokenizer-model ${TOKENIZER}") == Json());
  CHECK(vocabulary("--tokenizer-model some/tokenizer.model") == Json());
}

TEST_CASE("latent attention with its norms is read as the model it is") {
  const std::string text =
      "--num-layers 4 --hidden-size 512 --num-attention-heads 8 --multi-latent-attention ";
  const auto read = [&](const std::string& more) {
    return import_run(ForeignFormat::megatron, text + more, "x", Json(), &shipped());
  };
  CHECK(value_at(read("--qk-layernorm").run, "model.qk_norm").is_null());
  CHECK_FALSE(is_assumed(read("--qk-layernorm --kv-lora-rank 64"), "model.kv_lora_rank"));
  const ImportedRun without = read("--kv-lora-rank 64");
  CHECK(std::any_of(without.ignored.begin(), without.ignored.end(), [](const LeftOver& l) {
    return l.setting == "--multi-latent-attention" && !l.is_refused;
  }));
}

}  // namespace orrery
