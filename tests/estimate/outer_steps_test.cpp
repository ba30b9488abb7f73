// SPDX-License-Identifier: Apache-2.0
//
// Training over several sites, beside published utilisations.
#include "estimate/outer_steps.h"

#include <doctest/doctest.h>

#include <cmath>

#include "estimate/estimate.h"
#include "estimate/run.h"
#include "model/operators.h"
#include "parallel/partition.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Run spread_run(const std::string& more) {
  const Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 4096,
              "vocab_size": 1024, "hidden_act": "swiglu"},
    "cluster": {"node": "dgx-h100", "gpus": 32,
                "sites": {"count": 4, "bandwidth": "1 Gb/s", "latency": "100 ms"}},
    "training": {"sequence_length": 512, "global_batch": 64, "micro_batch": 1,
                 "states": "pure-16bit"},
    "parallel": {"recompute": "none", "zero": 1}, "framework": "megatron-core"})");
  return run_of(with(run, more));
}

OuterSteps every(std::int64_t steps) {
  OuterSteps o;
  o.every = steps;
  return o;
}

}  // namespace

// arXiv:2412.01152, table 2: 100 steps take 38 minutes, the sum over the sites 103, 382 and 469 s.
TEST_CASE("INTELLECT-1 trains 95.7, 85.6 and 82.9 % of its time") {
  const Seconds step(38 * 60 / 100.0);
  const auto trains = [&](double waits) {
    return std::round(1000 * outer_utilisation(every(100), step, Seconds(waits))) / 10;
  };
  CHECK(trains(103) == 95.7);
  CHECK(trains(382) == 85.6);
  CHECK(trains(469) == 82.9);
}

// Four sites over a ring send 1.5 times the parameters, here as gradients of 16 bits; 1 Gb/s and
// 0.1 s.
TEST_CASE("the exchange between sites by hand") {
  const Run run = spread_run("{}");
  const double n = static_cast<double>(parameter_count(run.model, 512).total);
  CHECK(outer_bytes<double>(run).si() == about(1.5 * n * 2));
  CHECK(outer_exposed<double>(run, Seconds(1)).si() == about(1.5 * n * 2 / 125e6 + 0.1));
  const Run few = spread_run(R"({"training": {"outer": {"every": 100, "bits": 8}}})");
  CHECK(outer_exposed<double>(few, Seconds(1)).si() == about(1.5 * n / 125e6 + 0.1));
  // Four fragments, each beside two steps of 0.05 s.
  const Run streamed = spread_run(
      R"({"training": {"outer": {"every": 100, "bits": 8, "fragments": 4, "overlap": 2}}})");
  CHECK(outer_exposed<double>(streamed, Seconds(0.05)).si() ==
        about(4 * (1.5 * n / 4 / 125e6 + 0.1 - 0.1)));
  CHECK(outer_exposed<double>(streamed, Seconds(10)) == Seconds());
}

TEST_CASE("a step holds its share of a round, and a site's own replicas its states") {
  const Run often = spread_run("{}");
  const Run seldom = spread_run(R"({"training": {"outer": {"every": 50, "bits": 16}}})");
  const auto step = [](const Run& r) { return estimate(r).step_time.si(); };
  const double round = outer_exposed<double>(often, Seconds(1)).si();
  CHECK(step(often) - step(seldom) == about(round * (1 - 1 / 50.0)));
  CHECK(replicas(often.strategy, ShardedStates::dense) == 8);
  CHECK(often.strategy.partition.optimizer == 8);
  const Run on_device = spread_run(R"({"training": {"outer": {"every": 50, "states": "device"}}})");
  CHECK(on_device.training.recipe.optimizer == seldom.training.recipe.optimizer + 8);
}

TEST_CASE("the bandwidth of a utilisation gives that utilisation") {
  Run run = spread_run(R"({"training": {"outer": {"every": 100, "bits": 16}}})");
  const Seconds step(0.8);
  for (const double u : {0.5, 0.8, 0.9, 0.99}) {
    run.sites.bandwidth = bandwidth_for(run, step, u).value();
    CHECK(outer_utilisation(run.training.outer, step, outer_exposed<double>(run, step)) ==
          about(u));
  }
}

// A round of one step of 0.8 s, of which 2 s are latency, trains at most 29 % of the time.
TEST_CASE("no bandwidth makes up for a latency that takes more than a utilisation leaves") {
  Run run = spread_run(R"({"training": {"outer": {"every": 1}}})");
  run.sites.latency = Seconds(2);
  CHECK(!bandwidth_for(run, Seconds(0.8), 0.9));
  CHECK(bandwidth_for(run, Seconds(0.8), 0.2));
}

// arXiv:2503.09799, table 7: 10 B parameters, 0.8 s a step, whose rows of 50 to 300 steps follow
// about 106 Gb a round, two thirds of a step of it hidden; the grid's ratio is 1.207.
TEST_CASE("bandwidths of DiLoCo's scaling laws within a step of their grid") {
  struct Row {
    std::int64_t every;
    double utilisation;
    double gigabits;
  };
  for (const Row& row : {Row{50, 0.8, 11.0}, Row{50, 0.9, 23.3}, Row{100, 0.5, 1.4},
                         Row{100, 0.8, 6.2}, Row{100, 0.9, 13.3}, Row{300, 0.5, 0.5},
                         Row{300, 0.8, 2.0}, Row{300, 0.9, 4.3}, Row{300, 0.95, 9.1}}) {
    CAPTURE(row.every);
    CAPTURE(row.utilisation);
    Run run = spread_run(R"({"training": {"outer": {"every": 50}}})");
    run.sites.latency = Seconds();
    run.training.outer = every(row.every);
    run.training.outer.overlap = 2.0 / 3;
    const double gigabits =
        bandwidth_for(run, Seconds(0.8), row.utilisation).value().si() * 8 / 1e9;
    const double sent = outer_bytes<double>(run).si() * 8 / 1e9;
    const double ratio = gigabits * (106 / sent) / row.gigabits;
    CHECK(std::abs(std::log(ratio)) < std::log(1.207));
  }
}
