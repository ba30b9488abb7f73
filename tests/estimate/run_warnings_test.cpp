// SPDX-License-Identifier: Apache-2.0
// Warnings of a run that asks for something without effect, or outside what is known.
#include "estimate/run_warnings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/runs.h"

namespace orrery {
namespace {

// Data parallelism over eight ranks sends all-reduces and gathers, and no all-to-all; no ranks of
// context or experts.
Json plain_llama() {
  return testing::json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 8},
    "parallel": {"recompute": "full", "zero": 1}, "framework": "generic"})");
}

bool warns(const Json& run, const std::string& text) {
  const std::vector<std::string> lines = run_warnings(testing::resolved(run));
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

bool warns_of_codecs(const char* codecs, const std::string& text) {
  Json run = plain_llama();
  run["parallel"]["compression"] = testing::json_of(codecs);
  return warns(run, text);
}

const char* const kIdle = "applies to nothing";

}  // namespace

TEST_CASE("encoders that nobody counts are named beside a diffusion model") {
  Json run = testing::json_of(R"({
    "model": "flux.1-dev", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"height": 512, "global_batch": 8}, "parallel": {"recompute": "full"},
    "framework": "generic"})");
  const char* const kEncoders = "training.frozen_parameters=N";
  CHECK(warns(run, kEncoders));
  run["training"]["frozen_parameters"] = 0;
  CHECK_FALSE(warns(run, kEncoders));
  CHECK_FALSE(warns(plain_llama(), kEncoders));
}

TEST_CASE("a codec that no message passes is named, a dimension without messages as a whole") {
  CHECK(warns_of_codecs(R"({"cp": {"ratio": 2, "throughput": "unlimited", "lossless": true}})",
                        "compression of cp applies to nothing"));
  CHECK(warns_of_codecs(
      R"({"dp": {"all-to-all": {"ratio": 2, "throughput": "unlimited", "lossless": true}}})",
      "compression of dp all-to-all applies to nothing"));
  // Where some messages of the dimension pass it, one codec for all of them is no mistake.
  CHECK_FALSE(warns_of_codecs(
      R"({"dp": {"ratio": 2, "throughput": "unlimited", "lossless": true}})", kIdle));
  CHECK_FALSE(warns_of_codecs(
      R"({"dp": {"all-gather": {"ratio": 2, "throughput": "unlimited", "lossless": true}}})",
      kIdle));
  CHECK_FALSE(warns(plain_llama(), kIdle));
}

// A codec of dp is that of the replicas of experts too.
TEST_CASE("a lossy codec is named by its dimensions") {
  CHECK(warns_of_codecs(R"({"dp": {"ratio": 2, "throughput": "unlimited", "lossless": false}})",
                        "compression of dp, edp is lossy"));
  CHECK_FALSE(warns_of_codecs(
      R"({"dp": {"ratio": 2, "throughput": "unlimited", "lossless": true}})", "lossy"));
}

TEST_CASE("an expert load beyond the ranks of experts is named as what it counts") {
  Json run = plain_llama();
  run["training"]["expert_load"] = 1.5;
  CHECK(warns(run, "expert_load counts as 1: this model has no experts"));
  run["training"]["expert_load"] = 1;
  CHECK_FALSE(warns(run, "expert_load"));
  run["model"] = "mixtral-8x7b";
  run["parallel"]["ep"] = 2;
  run["training"]["expert_load"] = 3;
  CHECK(warns(run, "expert_load counts as 2, the most that one of 2 ranks"));
  run["training"]["expert_load"] = 2;
  CHECK_FALSE(warns(run, "expert_load"));
}

TEST_CASE("constants from another vendor's devices are named with both vendors") {
  ResolvedRun r = testing::resolved(plain_llama());
  const auto warns_now = [&](const char* text) {
    const std::vector<std::string> lines = run_warnings(r);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  r.run.framework.vendor = Vendor::nvidia;
  CHECK_FALSE(warns_now("constants from"));
  CHECK_FALSE(warns_now("collective_library"));
  r.run.framework.vendor = Vendor::amd;
  CHECK(warns_now("has its constants from devices of amd; this run is on a device of nvidia"));
  r.run.cluster.library = CollectiveLibrary::rccl;
  CHECK(warns_now("collective_library is rccl; this run is on a device of nvidia"));
  r.run.cluster.device.vendor = Vendor::amd;
  CHECK_FALSE(warns_now("constants from"));
  CHECK_FALSE(warns_now("collective_library"));
  r.run.cluster.library = CollectiveLibrary::nccl;
  CHECK(warns_now("collective_library is nccl; this run is on a device of amd"));
}

TEST_CASE("attention in 32 bits is named unless the kernel has it") {
  ResolvedRun r = testing::resolved(plain_llama());
  const auto count = [&](Precision p, AttentionKernel k, bool fused) {
    r.run.training.precision = p;
    r.run.training.attention_kernel = k;
    r.run.training.fused_attention = fused;
    const std::vector<std::string> lines = run_warnings(r);
    return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("takes 16 bits") != std::string::npos;
    });
  };
  CHECK(count(Precision::fp32, AttentionKernel::flash_2, true) == 1);
  CHECK(count(Precision::tf32, AttentionKernel::flash_2, true) == 1);
  CHECK(count(Precision::bf16, AttentionKernel::flash_2, true) == 0);
  CHECK(count(Precision::fp32, AttentionKernel::sdpa, true) == 0);
  CHECK(count(Precision::fp32, AttentionKernel::triton, true) == 0);
  CHECK(count(Precision::fp32, AttentionKernel::flash_2, false) == 0);
}

}  // namespace orrery
