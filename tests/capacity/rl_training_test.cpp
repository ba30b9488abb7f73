// SPDX-License-Identifier: Apache-2.0
//
// A training by reinforcement learning as an option of a plan: its time, both groups' rent,
// failures and power.
#include "capacity/rl_training.h"

#include <doctest/doctest.h>

#include <string>

#include "capacity/shipped_plans.h"
#include "core/error.h"
#include "rl/step.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;
using testing::answered;

// 8 GPUs generate and 8 learn; 100 steps.
std::string plan(const std::string& placement, const std::string& more = "") {
  return R"({"run": {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
      "framework": "megatron-core",
      "training": {"rl": {"algorithm": "grpo", "prompts": 64, "group": 8, "prompt_length": 150,
                          "response": {"mean": 800, "cap": 2048}, "packed_tokens": 4096,
                          "steps": 100}},
      "rollout": {"engine": "vllm", "node": "dgx-a100-80gb"}, "placement": )" +
         placement + R"(}, "spares": 0, "prices": {"gpus": {
      "h100-sxm5-80gb": {"rent": {"value": "4 USD/h", "source": "s", "date": "2026-11"}},
      "a100-sxm4-80gb": {"rent": {"value": "1 USD/h", "low": "0.5 USD/h", "high": "2 USD/h",
                                  "source": "s", "date": "2026-11"}}}})" +
         more + "}";
}

const std::string kSplit = R"({"kind": "split", "rollout_gpus": 8, "offload_reference": true})";

}  // namespace

TEST_CASE("a training is so many steps, and each group is paid by its own rent") {
  const auto a = answered(plan(kSplit));
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  REQUIRE(o.rl);
  CHECK(o.outcome.wall.si() == about(100 * o.rl->step.value.si()));
  CHECK(o.training.time.high.si() == about(100 * o.rl->step.high.si()));
  CHECK(paid_gpus(o.inputs) == 16);
  CHECK(o.outcome.cost->amount() == about((8 * 4 + 8 * 1) * o.outcome.wall.si() / 3600));
  CHECK(o.training.tokens == about(100 * o.rl->tokens));
  // The rent of the generator alone has a range: 8·0.5 to 8·2 dollars an hour.
  bool seen = false;
  for (const Sensitivity& s : o.sensitivities) {
    if (s.what != "rent of a GPU") continue;
    seen = true;
    CHECK(s.cost.low == about((32 + 4) * o.outcome.wall.si() / 3600));
    CHECK(s.cost.high == about((32 + 16) * o.outcome.wall.si() / 3600));
  }
  CHECK(seen);
}

TEST_CASE("a failure of any GPU of the two groups stops the training") {
  const auto a = answered(plan(kSplit, R"(, "failures": {"source": "s", "classes": [
      {"name": "any", "per_gpu_hour": 0.001}], "detection": "1 min", "restart": "9 min"})"));
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  CHECK((o.outcome.largest.recovery.failures * kHour) == about(0.016));
}

TEST_CASE("both groups draw power, and less while they wait") {
  const auto a = answered(plan(kSplit));
  const OutcomeInputs& in = a->answer.options[0].inputs;
  REQUIRE(in.beside);
  CHECK(in.beside->load.memory + in.beside->load.waiting == about(1.0));
  CHECK(in.load.compute + in.load.memory + in.load.waiting == about(1.0));
  OutcomeInputs alone = in;
  alone.beside.reset();
  const Goodput none{};
  const EnergyUse of_generator = energy_use(in.beside->cluster, 0, in.energy, in.beside->load, none,
                                            a->answer.options[0].outcome.wall);
  CHECK(outcome_of(in).energy.facility.si() ==
        about(outcome_of(alone).energy.facility.si() + of_generator.facility.si()));
}

TEST_CASE("the split keeps its ratio at other sizes, and a size without a whole split is refused") {
  const auto a = answered(plan(kSplit, R"(, "gpus": [32, 15])"));
  CHECK(a->answer.options[0].inputs.beside->cluster.gpus == 16);
  CHECK(a->answer.options[1].status == OptionStatus::illegal);
}

TEST_CASE("a training by reinforcement learning is asked for by its steps alone") {
  CHECK_THROWS_AS(answered(plan(kSplit, R"(, "goal": {"tokens": 1e9})")), InputError);
  CHECK_THROWS_AS(answered(plan(kSplit, R"(, "materials": "fat-tree")")), InputError);
}

TEST_CASE("the searched placement costs no more than the run's own") {
  const auto own = answered(plan(kSplit));
  const auto best = answered(plan(kSplit, R"(, "search": true)"));
  const OptionAnswer& o = best->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  const double cost = o.outcome.cost->amount();
  CHECK(cost <= own->answer.options[0].outcome.cost->amount() * (1 + 1e-9));
}

}  // namespace orrery
