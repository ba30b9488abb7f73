// SPDX-License-Identifier: Apache-2.0
//
// Changes of a step of reinforcement learning: one that changes what is learned is never the next.
#include <doctest/doctest.h>

#include "insight/rl_report.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

bool changes_learning(const RlAlternative& a) {
  for (const Setting& s : a.settings) {
    const bool is_async = s.path == "placement.kind" && s.value == "async";
    if (is_async || s.path.starts_with("training.rl.response")) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a learner that is replicated and does not fit is advised sharding") {
  const Json run = json_of(R"({"model": "qwen2.5-7b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "framework": "hf-trainer",
      "training": {"rl": {"algorithm": "grpo", "prompts": 64, "group": 8, "prompt_length": 512,
                          "response": {"mean": 512, "cap": 1024}}},
      "parallel": {"zero": 0},
      "rollout": {"engine": "vllm", "tp": 1, "memory_share": 0.3}})");
  const RlReport r = rl_report_with_alternatives(run, "run.json", shipped_configs(), {});
  REQUIRE_FALSE(r.step.fits);
  const RlAlternative* next = first_of_same_learning(r);
  REQUIRE(next != nullptr);
  REQUIRE(next->settings.size() == 1);
  CHECK(next->settings[0].path == "parallel.zero");
}

TEST_CASE("older weights and shorter answers are listed and are not the next change") {
  const Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
      "framework": "megatron-core",
      "training": {"rl": {"algorithm": "grpo", "prompts": 64, "group": 8, "prompt_length": 200,
                          "response": {"mean": 800, "cap": 8192}}},
      "parallel": {"tp": 2, "recompute": "full"},
      "rollout": {"engine": "vllm", "tp": 1, "memory_share": 0.5},
      "placement": {"offload_weights": true, "offload_optimizer": true}})");
  const RlReport r = rl_report_with_alternatives(run, "run.json", shipped_configs(), {});
  bool lists_one = false;
  for (const RlAlternative& a : r.faster) {
    CHECK((a.kind == RlChangeKind::answers) == changes_learning(a));
    lists_one = lists_one || changes_learning(a);
  }
  CHECK(lists_one);
  if (const RlAlternative* next = first_of_same_learning(r)) CHECK_FALSE(changes_learning(*next));
}
