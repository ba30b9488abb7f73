// SPDX-License-Identifier: Apache-2.0
//
// Open keys take the space that the phases of a step leave.
#include "rl/resolve_learner.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "core/json_path.h"
#include "rl/step.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// 7.6 B parameters on eight H100: weights and optimizer states beside an engine's own share of 0.9
// are more than a device.
Json open_run() {
  return json_of(R"({"model": "qwen2.5-7b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "framework": "fsdp",
      "training": {"rl": {"algorithm": "grpo", "prompts": 128, "group": 8, "prompt_length": 512,
                          "response": {"mean": 2048}}}})");
}

ResolvedRun settled(const Json& run) { return resolve_learner(run, "test", shipped_configs()); }

double share(const Json& run) { return settled(run).rl->work.share; }

const MomentMemory& generating(const RlStep& s) { return s.memory[RlMoment::generate]; }

}  // namespace

TEST_CASE("an open share of an engine leaves the learner in place") {
  const double engines = resolve_with_rl(open_run(), "test", shipped_configs()).rl->work.share;
  CHECK(engines == 0.9);
  const ResolvedRun run = settled(open_run());
  CHECK(run.rl->work.share < engines);
  CHECK(generating(rl_step_alone(run)).fits());
  CHECK(value_at(*run.inputs, "rollout.memory_share") == run.rl->work.share);
  const Fact* fact = find_fact(run.assumed, "rollout.memory_share");
  REQUIRE(fact != nullptr);
  CHECK(fact->known == Known::open);

  Json larger = open_run();  // one step of the grid more does not fit
  larger["rollout"]["memory_share"] = run.rl->work.share + 0.05;
  CHECK_FALSE(generating(rl_step_alone(settled(larger))).fits());
  CHECK(share(larger) == run.rl->work.share + 0.05);  // given, it stays
}

TEST_CASE("an engine on GPUs of its own has its own share") {
  Json run = open_run();
  run["placement"] = {{"kind", "split"}, {"rollout_gpus", 4}};
  CHECK(share(run) == 0.9);
}

TEST_CASE("open recompute leaves room for what stands beside the update") {
  const ResolvedRun alone = resolve_with_rl(open_run(), "test", shipped_configs());
  CHECK_FALSE(rl_step_alone(alone).memory[RlMoment::update].fits());
  const ResolvedRun beside = settled(open_run());
  CHECK(rl_step_alone(beside).memory[RlMoment::update].fits());
  CHECK(beside.run.strategy.recompute_layers > alone.run.strategy.recompute_layers);
  CHECK(value_at(*beside.inputs, "parallel.recompute_layers") ==
        beside.run.strategy.recompute_layers);

  Json given = open_run();
  given["parallel"] = {{"recompute", "none"}};
  CHECK(settled(given).run.strategy.recompute == Recompute::none);
}
