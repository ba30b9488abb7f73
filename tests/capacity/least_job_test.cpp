// SPDX-License-Identifier: Apache-2.0
//
// The smallest job on which a step with a given layout can be measured.
#include <doctest/doctest.h>

#include "capacity/shipped_plans.h"
#include "capacity/what_if.h"
#include "estimate/estimate.h"

namespace orrery {
namespace {

using testing::answered;

Run mixtral(const char* parallel) {
  const auto a = answered(std::string(R"({"run": {"model": "mixtral-8x7b",
      "cluster": {"node": "dgx-h100", "gpus": 128}, "framework": "megatron-core",
      "training": {"sequence_length": 4096, "global_batch": 256, "micro_batch": 1, "tokens": 1e9},
      "parallel": )") + parallel +
                          "}}");
  return a->answer.options.at(0).run->run;
}

// Eight ranks hold different experts in each of four stages: 32 GPUs, not the 4 of tp·cp·pp.
TEST_CASE("a job to measure holds all experts") {
  const Run run = mixtral(R"({"pp": 4, "ep": 8, "zero": 1, "recompute": "full"})");
  const std::int64_t gpus = least_job(run);
  CHECK(gpus >= 32);
  CHECK(gpus % 32 == 0);
  CHECK(gpus < 128);
}

// The states of one replica alone, 18 bytes a parameter of 46.7 B, are 105 GB on each of 8 GPUs.
TEST_CASE("a job to measure holds the states that are sharded over replicas") {
  const Run run = mixtral(R"({"tp": 8, "pp": 1, "ep": 1, "zero": 1, "recompute": "full"})");
  CHECK(least_job(run) > 8);
}

}  // namespace
}  // namespace orrery
