// SPDX-License-Identifier: Apache-2.0
//
// The order in which sharded weights are fetched: by hand, and what holds for any layers.
#include "sim/prefetch.h"

#include <doctest/doctest.h>

#include <cmath>

#include "property/for_runs.h"
#include "sim/simulate.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::vector<LayerWork> alike(std::size_t n, double compute, double gather, double reduce) {
  return {n, LayerWork{Seconds(compute), Seconds(gather), Seconds(reduce)}};
}

std::vector<LayerWork> random_layers(Dice& dice) {
  std::vector<LayerWork> layers;
  const std::int64_t n = dice.integer(1, 12);
  for (std::int64_t i = 0; i < n; ++i) {
    layers.push_back({Seconds(dice.real(0, 1)), Seconds(dice.chance(0.2) ? 0 : dice.real(0, 1)),
                      Seconds(dice.chance(0.5) ? 0 : dice.real(0, 1))});
  }
  return layers;
}

}  // namespace

TEST_CASE("layers alike, fetched one ahead, wait for the first fetch or for the link") {
  // Compute longer than fetches: only the first is waited for.
  CHECK(play_layers(alike(4, 3, 1, 0), {}).end.si() == testing::about(1 + 4 * 3));
  // Fetches longer: the link is busy throughout, then the last layer computes.
  CHECK(play_layers(alike(4, 1, 3, 0), {}).end.si() == testing::about(4 * 3 + 1));
  // Nothing ahead: one after the other.
  CHECK(play_layers(alike(4, 3, 1, 0), {0, true, true, 0}).end.si() == testing::about(4 * (1 + 3)));
  // The same without overlapped gathers, however many may be fetched ahead.
  CHECK(play_layers(alike(4, 3, 1, 0), {2, false, true, 0}).end.si() ==
        testing::about(4 * (1 + 3)));
  // The last reduction is waited for.
  CHECK(play_layers(alike(4, 3, 0, 1), {}).end.si() == testing::about(4 * 3 + 1));
  CHECK(play_layers(alike(4, 3, 0, 1), {1, true, false, 0}).end.si() ==
        testing::about(4 * (3 + 1)));
  // Half of the time in which the three fetches after the first run beside compute is lost.
  CHECK(play_layers(alike(4, 3, 1, 0), {1, true, true, 0.5}).end.si() ==
        testing::about(1 + 4 * 3 + 3 * 0.5));
}

TEST_CASE("no more layers are fetched than may be, and none computes before it is there") {
  Dice dice(81);
  for (int i = 0; i < 300; ++i) {
    const std::vector<LayerWork> layers = random_layers(dice);
    double compute = 0;
    double link = 0;
    for (const LayerWork& l : layers) {
      compute += l.compute.si();
      link += (l.gather + l.reduce).si();
    }
    double before = 0;
    for (std::int64_t depth = 0; depth < 5; ++depth) {
      const FetchedPass p = play_layers(layers, {depth, true, true, 0});
      CHECK(p.end.si() >= std::max(compute, link) * (1 - 1e-12));
      CHECK(p.end.si() <= (compute + link) * (1 + 1e-12));
      if (depth > 0) CHECK(p.end.si() <= before * (1 + 1e-12));  // deeper is never longer
      before = p.end.si();
      Seconds free{};
      std::int32_t gathered = -1;
      for (const Fetch& f : p.fetches) {
        CHECK(f.begin >= free);  // one link
        free = f.end;
        if (!f.gathers) {
          // Layers up to this one are done, so at most `depth` more after the next are asked for.
          CHECK(gathered <= f.layer + depth + 1);
        } else {
          CHECK(f.layer > gathered);
          gathered = f.layer;
        }
      }
    }
  }
}

TEST_CASE("a played step with weights fetched in order says what the order costs") {
  int fetched = 0;
  for_runs(82, 300, [&](const Run& run) {
    SimulationOptions quiet;
    quiet.effects.contention = false;
    SimulationOptions ordered = quiet;
    ordered.prefetch = 1;
    if (!why_no_prefetch(run).empty()) return;
    ++fetched;
    const double joined = simulate(run, quiet).played.times.step.si();
    const Simulation s = simulate(run, ordered);
    double sum = s.closed.step_time.si();
    double order = 0;
    for (const Difference& d : s.differences) {
      sum += d.time.si();
      if (d.cause == Cause::fetch_order) order += d.time.si();
    }
    CHECK(sum == testing::about(s.played.times.step.si()).epsilon(1e-8));
    CHECK(joined + order == testing::about(s.played.times.step.si()).epsilon(1e-8));
    CHECK(s.fetches.size() == s.plan.passes.size());
    double parts = 0;
    for (const Seconds& t : s.answer.breakdown) parts += t.si();
    CHECK(parts == testing::about(s.played.times.step.si()).epsilon(1e-6));
  });
  CHECK(fetched > 10 / testing::kShare);
}
