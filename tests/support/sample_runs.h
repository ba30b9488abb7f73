// SPDX-License-Identifier: Apache-2.0
//
// Runs of every kind for the tests of reports.
#pragma once

#include <string>
#include <vector>

#include "insight/run_report.h"
#include "support/runs.h"

namespace orrery::testing {

inline const char* const kGpt3 = R"({
  "model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024},
  "training": {"sequence_length": 2048, "global_batch": 1536, "precision": "fp16",
               "flash_attention": false, "tokens": 300e9},
  "parallel": {"tp": 8, "pp": 8, "sequence_parallel": true, "zero": 1, "recompute": "selective"},
  "framework": "megatron-lm"})";

inline const char* const kLlama = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
  "training": {"sequence_length": 8192, "global_batch": 256}})";

inline Json gpt3() { return json_of(kGpt3); }
inline Json llama() { return json_of(kLlama); }

// Dense and MoE, pipelines of every built schedule, context parallel, sharded weights, offload,
// fp8.
inline std::vector<Json> sample_runs() {
  return {
      gpt3(),
      llama(),
      with(gpt3(), R"({"parallel": {"vpp": 4, "schedule": "interleaved"}})"),
      with(gpt3(), R"({"parallel": {"schedule": "gpipe", "recompute": "full"}})"),
      with(gpt3(), R"({"parallel": {"tp": 1, "pp": 1, "sequence_parallel": false},
                       "training": {"global_batch": 2048}})"),
      with(llama(), R"({"framework": "fsdp"})"),
      with(llama(), R"({"parallel": {"cp": 4, "tp": 2}, "training": {"precision": "fp8"}})"),
      with(llama(), R"({"parallel": {"zero": 3, "offload": {"optimizer": "host"}}})"),
      with(llama(), R"({"model": "mixtral-8x7b", "framework": "megatron-core",
                        "parallel": {"ep": 8, "pp": 4, "tp": 2, "sequence_parallel": true},
                        "training": {"sequence_length": 4096}})"),
      with(llama(), R"({"model": "deepseek-v3", "cluster": {"node": "h800-80gb", "gpus": 2048},
                        "parallel": {"ep": 64, "pp": 16}, "framework": "megatron-core",
                        "training": {"sequence_length": 4096, "global_batch": 15360}})"),
  };
}

inline RunReport report_of(const Json& run) { return report_on(resolved(run)); }

}  // namespace orrery::testing
