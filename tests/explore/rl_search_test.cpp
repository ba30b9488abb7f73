// SPDX-License-Identifier: Apache-2.0
//
// A search over placements of a step of reinforcement learning against trying everything.
#include "explore/rl_search.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/json.h"
#include "estimate/resolve.h"
#include "explore/unit_walk.h"
#include "rl/step.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json small_run() {
  return json_of(R"({"model": "qwen3-4b", "cluster": {"node": "dgx-h100", "gpus": 4},
      "framework": "megatron-core",
      "training": {"rl": {"algorithm": "grpo", "prompts": 16, "group": 4, "prompt_length": 200,
                          "response": {"mean": 800, "cap": 2048}, "packed_tokens": 4096}},
      "parallel": {"pp": 1, "cp": 1, "recompute": "full"},
      "rollout": {"engine": "vllm", "memory_share": 0.5}, "placement": {}})");
}

// Shares, staleness and the reference's place multiply the runs to try and run the same code.
bool holds(std::string_view path) {
  return path == "placement.offload_reference" || path == "placement.staleness" ||
         path == "rollout.memory_share";
}

RlSpace small_space(const Json& run) { return rl_space(run, "run.json", shipped_configs(), holds); }

bool is_legal(const Space& s, const Unit& unit, const Point& p, Strategy& strategy) {
  Run run = s.bases.front().run;
  set_degrees(s, unit, run.strategy);
  set_point(s, s.bases.front(), p, run.strategy);
  strategy = run.strategy;
  for (const RulePart part : {RulePart::degrees, RulePart::sharding, RulePart::recompute}) {
    if (first_broken(part, run.strategy, run.model, shape_of(run)) != RuleId::none) return false;
  }
  return true;
}

constexpr Currency kDollars;
// The cheaper kind generates.
const GpuRents kRents{{4 / 3600.0, kDollars}, {1 / 3600.0, kDollars}};

// "step_time_s <= 12", and not async.
bool meets(const RlRun& rl, const Strategy& /*s*/, const RlStep& step) {
  return step.step.value <= Seconds(12) && rl.placement.kind != PlacementKind::async;
}

// Every placement of a space, each as a run file of its own.
struct BruteForce {
  BruteForce(const Json& run, const RlSpace& space) : whole_run(run), whole_space(space) {
    for (std::size_t l = 0; l < space.learners.size(); ++l) {
      for (std::size_t i = 0; i < space.learners[l].layouts.size(); ++i) try_layout(l, i);
    }
  }

  void try_layout(std::size_t l, std::size_t i) {
    const Space& s = whole_space.learners[l].layouts[i];
    for (const Unit& unit : units_of(s)) {
      UnitWalk(s, unit).cells([&](const SearchCell& cell) {
        for_each_point(cell, [&](const Point& p) {
          RlFound f;
          f.learners = l;
          f.layout = i;
          f.unit = unit;
          f.point = p;
          ++candidates;
          if (is_legal(s, unit, p, f.strategy)) try_choices(f);
        });
      });
    }
  }

  void try_choices(RlFound f) {
    for (const auto& of_kind : whole_space.learners[f.learners].choices) {
      for (const std::size_t choice : of_kind) {
        ++placements;
        f.choice = choice;
        const ResolvedRun r =
            resolve_with_rl(with_found(whole_run, whole_space, f), "run.json", shipped_configs());
        const RlStep step = rl_step_alone(r);
        if (step.fits && fits_surely(r.run, step.memory)) offer(*r.rl, r.run.strategy, step);
      }
    }
  }

  static void at_most(double& least, double value) {
    if (least == 0 || value < least) least = value;
  }

  void offer(const RlRun& rl, const Strategy& s, const RlStep& step) {
    ++fitting;
    const PlacementKind kind = rl.placement.kind;
    if (best[kind] == Seconds() || step.step.value < best[kind]) best[kind] = step.step.value;
    at_most(cheapest[kind], cost_of_step(rl, step.step.value, kRents).amount());
    if (meets(rl, s, step))
      at_most(cheapest_that_meets, cost_of_step(rl, step.step.value, kRents).amount());
  }

  const Json& whole_run;
  const RlSpace& whole_space;
  std::int64_t candidates = 0;
  std::int64_t placements = 0;
  std::int64_t fitting = 0;
  EnumArray<PlacementKind, Seconds> best{};
  EnumArray<PlacementKind, double> cheapest{};
  double cheapest_that_meets = 0;
};

}  // namespace

TEST_CASE("the search over placements finds what trying everything finds") {
  const Json run = small_run();
  const RlSpace space = small_space(run);
  const BruteForce all(run, space);
  REQUIRE(all.fitting > 10);
  REQUIRE(all.fitting < all.placements);
  const RlSearchAnswer found = rl_search(space, {});
  CHECK(found.learner_candidates == all.candidates);
  CHECK(found.placements == all.placements);
  Seconds fastest{};
  for (const PlacementKind kind : kAllOf<PlacementKind>) {
    REQUIRE(found.of_kind[kind].has_value() == (all.best[kind] > Seconds()));
    if (!found.of_kind[kind]) continue;
    CHECK(found.of_kind[kind]->step.si() == about(all.best[kind].si()));
    if (fastest == Seconds() || all.best[kind] < fastest) fastest = all.best[kind];
  }
  REQUIRE(!found.best.empty());
  CHECK(found.best.front().step.si() == about(fastest.si()));

  const RlSearchAnswer by_cost = rl_search(space, {}, {kRents, {}});
  double least = 0;
  for (const PlacementKind kind : kAllOf<PlacementKind>) {
    REQUIRE(by_cost.of_kind[kind].has_value() == (all.cheapest[kind] > 0));
    if (!by_cost.of_kind[kind]) continue;
    CHECK(by_cost.of_kind[kind]->aim == about(all.cheapest[kind]));
    BruteForce::at_most(least, all.cheapest[kind]);
  }
  CHECK(by_cost.best.front().aim == about(least));
  CHECK(by_cost.best.front().step > found.best.front().step);

  REQUIRE(all.cheapest_that_meets > least);
  const RlSearchAnswer where = rl_search(space, {}, {kRents, meets});
  REQUIRE(!where.best.empty());
  CHECK(where.best.front().aim == about(all.cheapest_that_meets));
}

TEST_CASE("a step costs the rent of each kind of GPU while it lasts") {
  // 10 of 16 GPUs learn at 4 dollars an hour, 6 generate at 1: 46 dollars an hour, 90 s.
  RlRun rl;
  rl.all_gpus = 16;
  rl.placement.kind = PlacementKind::async;
  rl.placement.rollout_gpus = 6;
  CHECK(cost_of_step(rl, Seconds(90), kRents).amount() == about(46.0 * 90 / 3600));
  rl.placement.kind = PlacementKind::colocated;
  rl.placement.rollout_gpus = 16;
  CHECK(cost_of_step(rl, Seconds(90), kRents).amount() == about(64.0 * 90 / 3600));
}

TEST_CASE("the answer of a search over placements does not depend on its workers") {
  const Json run = small_run();
  const RlSpace space = small_space(run);
  const RlSearchAnswer one = rl_search(space, {});
  SearchOptions options;
  options.workers = 3;
  options.parallel = [](const std::function<void(unsigned)>& work) {
    for (unsigned n : {2U, 0U, 1U}) work(n);
  };
  const RlSearchAnswer three = rl_search(space, options);
  REQUIRE(one.best.size() == three.best.size());
  for (std::size_t i = 0; i < one.best.size(); ++i) {
    CHECK(one.best[i].step == three.best[i].step);
    CHECK(one.best[i].choice == three.best[i].choice);
    CHECK(one.best[i].point == three.best[i].point);
  }
  CHECK(one.placements == three.placements);
}

TEST_CASE("a learner keeps to the degrees that its framework is known to run") {
  Json run = small_run();
  run["framework"] = "hf-trainer";
  run["parallel"].erase("pp");
  run["parallel"]["cp"] = 1;
  const auto most_degree = [&](RlDegrees degrees) {
    const RlSpace space = rl_space(run, "run.json", shipped_configs(), holds, degrees);
    std::int64_t most = 1;
    for (const RlLearners& l : space.learners) {
      for (const Space& s : l.layouts) {
        const Strategy& of = s.bases.front().run.strategy;
        most = std::max(most, of.tp * of.cp * of.pp);
      }
    }
    return most;
  };
  CHECK(most_degree(RlDegrees::of_framework) == 1);
  CHECK(most_degree(RlDegrees::all) > 1);
}

TEST_CASE("one GPU generates and learns in turn") {
  Json run = small_run();
  run["cluster"]["gpus"] = 1;
  const RlSpace space = small_space(run);
  REQUIRE(space.learners.size() == 1);
  CHECK(!space.learners[0].choices[PlacementKind::colocated].empty());
  CHECK(space.learners[0].choices[PlacementKind::split].empty());
}

TEST_CASE("a held split is the only one") {
  Json run = small_run();
  run["placement"] = {{"kind", "async"}, {"rollout_gpus", 2}};
  const RlSpace space = rl_space(run, "run.json", shipped_configs(), [](std::string_view path) {
    return path == "placement.kind" || path == "placement.rollout_gpus";
  });
  REQUIRE(space.learners.size() == 1);
  CHECK(space.learners[0].gpus == 2);
  CHECK(space.learners[0].choices[PlacementKind::colocated].empty());
  CHECK(space.learners[0].choices[PlacementKind::split].empty());
  CHECK(!space.learners[0].choices[PlacementKind::async].empty());
}
