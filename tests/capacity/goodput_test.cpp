// SPDX-License-Identifier: Apache-2.0
#include "capacity/goodput.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/about.h"

namespace orrery {
namespace {

Recovery job(double mean, double stall, double detection = 0, double restart = 0,
             double durable = 0) {
  Recovery r;
  r.failures = PerSecond(1 / mean);
  r.stall = Seconds(stall);
  r.detection = Seconds(detection);
  r.restart = Seconds(restart);
  r.durable = Seconds(durable);
  return r;
}

double cost(const Recovery& r, double interval) { return goodput(r, Seconds(interval)).total; }

TEST_CASE("the optimum is where no other interval is better, on random jobs") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(0, 1);
  for (int i = 0; i < 2000; ++i) {
    const double mean = std::pow(10, 2 + 5 * exponent(random));
    const double stall = mean * std::pow(10, -6 + 6.3 * exponent(random));
    const Recovery r = job(mean, stall, mean * 0.1 * exponent(random), mean * exponent(random));
    const double best = optimal_interval(r, Seconds()).si();
    CAPTURE(mean);
    CAPTURE(stall);
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
      CHECK(cost(r, best) <= cost(r, best * factor) * (1 + 1e-12));
    }
  }
}

TEST_CASE("Young and Daly come to the exact optimum as checkpoints get cheap, Daly faster") {
  for (const double stall : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const Recovery r = job(1, stall);
    const double best = optimal_interval(r, Seconds()).si();
    const double young = young_interval(r.stall, r.failures).si();
    const double daly = daly_interval(r.stall, r.failures).si();
    CAPTURE(stall);
    // Expanding (1 − x)e^{x + C} = 1: the exact optimum is √(2C) − 2C/3 + O(C^1.5), Young's lacks
    // the second term.
    CHECK(std::abs(young / best - 1) < std::sqrt(stall));
    CHECK(std::abs(daly / best - 1) < stall);
    CHECK(std::abs(daly - best) < std::abs(young - best));
    CHECK(cost(r, young) / cost(r, best) - 1 < 2 * stall);
  }
}

TEST_CASE("Daly's interval is the mean time between failures where a checkpoint takes two of it") {
  CHECK(daly_interval(Seconds(20), PerSecond(0.1)) == Seconds(10));
}

TEST_CASE("the closed form is the mean of what is played") {
  struct Case {
    const char* name;
    Recovery r;
    double interval;
  };
  Recovery spares = job(3600, 20, 60, 300);
  spares.losses = {{PerSecond(0.5 / 3600), 1, Seconds(6 * 3600)}};
  spares.spares = 3;
  Recovery racks = job(3600, 20, 60, 300);
  racks.losses = {{PerSecond(0.2 / 3600), 1, Seconds(6 * 3600)},
                  {PerSecond(0.01 / 3600), 4, Seconds(3 * 3600)}};
  racks.spares = 5;
  Recovery slow = job(7200, 30, 60, 300);
  slow.slow = 0.02;
  Recovery planned = job(7200, 30, 60, 300);
  planned.planned = {PerSecond(1.0 / 86400), Seconds(1800)};
  const Case cases[] = {
      {"synchronous", job(10000, 60), 900},
      {"slow recovery that fails itself", job(3000, 60, 120, 900), 600},
      {"safe only later", job(5000, 5, 60, 200, 500), 600},
      {"no stall at all", job(5000, 0, 60, 200, 300), 300},
      {"spares run out", spares, 600},
      {"planned stops", planned, 900},
      {"racks leave whole", racks, 600},
      {"slow nodes", slow, 900},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const double training = 4e6;
    const Goodput g = goodput(c.r, Seconds(c.interval));
    const SimulatedGoodput played =
        simulate_goodput({{c.r, Seconds(c.interval), Seconds(training)}}, 300, 1);
    CHECK(played.wall.value.si() / training == testing::about(g.total).epsilon(0.01));
    CHECK(played.failures.mean == testing::about(g.failures * training).epsilon(0.01));
    CHECK(played.wall.low < played.wall.value);
    CHECK(played.wall.value < played.wall.high);
  }
}

// A window in which failures were counted holds their detections and the planned stops.
TEST_CASE("a run's failures times the mean time between them are its wall clock") {
  Recovery planned = job(3 * 3600, 20, 3600, 600);
  planned.planned = {PerSecond(1.0 / 86400), Seconds(7200)};
  for (const Recovery& r : {job(3 * 3600, 0, 3600, 600), job(3 * 3600, 60, 0, 900), planned}) {
    const Goodput g = goodput(r, Seconds(900));
    CHECK(g.failures / r.failures.si() == testing::about(g.total).epsilon(1e-12));
  }
  Recovery waits = job(3600, 20, 60, 300);
  waits.losses = {{PerSecond(0.5 / 3600), 1, Seconds(6 * 3600)}};
  waits.spares = 3;
  const Goodput g = goodput(waits, Seconds(900));
  CHECK(g.spares > 0);
  CHECK(g.failures / waits.failures.si() == testing::about(g.total - g.spares).epsilon(1e-12));
}

TEST_CASE("a run whose failures take longer than the time between them never ends") {
  CHECK(cost(job(600, 10, 700), 60) > 1e6);
  CHECK(std::isfinite(cost(job(600, 10, 700), 60)));
}

TEST_CASE("the causes add up to the whole") {
  Recovery r = job(5000, 30, 60, 600, 40);
  r.losses = {{PerSecond(1e-4), 1, Seconds(7200)}};
  r.spares = 1;
  r.slow = 0.01;
  r.planned = {PerSecond(1e-5), Seconds(600)};
  const Goodput g = goodput(r, Seconds(500));
  CHECK(g.training + g.checkpoint + g.lost_work + g.detection + g.restart + g.spares + g.planned +
            g.slow ==
        testing::about(g.total).epsilon(1e-14));
  CHECK(g.lost_work > 0);
  CHECK(g.ratio() < 1);
}

TEST_CASE("without failures nothing is lost, and a checkpoint still takes its time") {
  Recovery r;
  r.stall = Seconds(10);
  CHECK(std::isinf(optimal_interval(r, Seconds()).si()));
  CHECK(goodput(r, optimal_interval(r, Seconds())).total == 1);
  CHECK(goodput(r, Seconds(100)).total == testing::about(1.1));
}

TEST_CASE("an interval is never shorter than its checkpoint takes to be safe, nor than a step") {
  CHECK(optimal_interval(job(10000, 0, 0, 0, 700), Seconds(20)) == Seconds(700));
  CHECK(optimal_interval(job(10000, 0), Seconds(20)) == Seconds(20));
}

TEST_CASE("a seed gives the same numbers again") {
  const Recovery r = job(5000, 20, 60, 300);
  const auto a = simulate_goodput({{r, Seconds(500), Seconds(1e6)}}, 20, 42);
  const auto b = simulate_goodput({{r, Seconds(500), Seconds(1e6)}}, 20, 42);
  CHECK(a.wall.value == b.wall.value);
  CHECK(simulate_goodput({{r, Seconds(500), Seconds(1e6)}}, 20, 43).wall.value != a.wall.value);
}

}  // namespace
}  // namespace orrery
