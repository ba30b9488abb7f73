// SPDX-License-Identifier: Apache-2.0
//
// The two paths of the simulator against each other and against the closed form.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "estimate/workspace.h"
#include "property/for_runs.h"
#include "sim/play.h"
#include "sim/settle.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr Effects kNoEffects{false, false, true};

PassGraph graph_of(const Run& run) { return make_graph(schedule_of(run), pipeline_shape(run)); }

bool same_bits(Seconds a, Seconds b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const StepClock& a, const StepClock& b) {
  bool equal = same_bits(a.step, b.step) && a.stages.size() == b.stages.size();
  for (std::size_t i = 0; equal && i < a.stages.size(); ++i) {
    const StageTimes& x = a.stages[i];
    const StageTimes& y = b.stages[i];
    equal = same_bits(x.gathered, y.gathered) && same_bits(x.finished, y.finished) &&
            same_bits(x.reduced, y.reduced) && same_bits(x.joined, y.joined) &&
            same_bits(x.updated, y.updated) && same_bits(x.end, y.end);
  }
  return equal && a.pass_begin == b.pass_begin && a.pass_end == b.pass_end &&
         a.arrival == b.arrival;
}

// A run whose stages differ by next to nothing: layers that divide, and almost no vocabulary.
Run with_equal_stages(Run run) {
  const std::int64_t parts = run.strategy.pp * run.strategy.vpp;
  run.model.layers = parts * std::max<std::int64_t>(1, run.model.layers / parts);
  run.model.vocab = 1;
  run.model.mtp_layers = 0;
  run.model.sliding_window_pattern = 0;
  run.model.moe.first_k_dense = 0;
  run.model.moe.layer_offset = 0;
  if (is_moe(run.model)) run.model.moe.layer_freq = 1;
  run.framework.vocabulary.multiple = 1;
  return run;
}

template <class Part, class Time>
bool are_equal(const std::vector<Part>& parts, Time&& time) {
  Seconds least = time(parts[0]);
  Seconds most = least;
  for (const Part& p : parts) {
    least = std::min(least, time(p));
    most = std::max(most, time(p));
  }
  return most <= 1.01 * least;
}

// The embedding and the final norm are left, a little; on some stages that is not so little, and
// hybrid models have layers of several kinds. The closed form counts the gather of a stage's
// weights with its end; here it may hide in the wait for the first micro batch.
bool has_equal_stages(const StepPlan& plan) {
  return are_equal(plan.passes, [](const PassPlan& p) { return p.forward + p.backward; }) &&
         are_equal(plan.stages,
                   [](const StagePlan& s) { return s.gradients.exposed + s.weights.exposed; });
}

// The closed form gives both directions of DualPipe the slower of the two boundaries that mirror
// each other; the simulator knows each.
bool has_equal_directions(const Run& run, const Workspace& w) {
  if (schedule_of(run).layout() != ChunkLayout::two_way) return true;
  const std::vector<Seconds>& sends = w.sends;
  return std::equal(sends.begin(), sends.end(), sends.rbegin());
}

}  // namespace

TEST_CASE("events and sweep give the same times, to the bit, where nothing contends") {
  for_runs(11, 600, [](const Run& run) {
    Workspace w;
    const StepPlan plan = plan_step(run, w);
    const PassGraph graph = graph_of(run);
    for (const Effects effects :
         {kNoEffects, Effects{false, true, true}, Effects{false, true, false}}) {
      const PlayedStep played = play_step(plan, graph, effects, {}, Keep::passes);
      CHECK(same(played.times, sweep_step(plan, graph, effects, Keep::passes)));
    }
  });
}

TEST_CASE("the sweep's passes end when the pipeline sweep of the closed form says") {
  for_runs(12, 600, [](const Run& run) {
    Workspace w;
    StepPlan plan = plan_step(run, w);
    for (StagePlan& s : plan.stages) s.weights.exposed = Seconds();
    estimate<double>(run, w);
    PipelineWorkspace room;
    const PipelineTimes closed = sweep(
        schedule_of(run), plan.shape,
        {w.forward, w.backward, w.send_forward, w.send_backward, w.weight_gradient, w.pair}, room);
    const StepClock times = sweep_step(plan, graph_of(run), kNoEffects);
    // Both directions of DualPipe get the slower of two boundaries in the closed form.
    const bool two_ways = plan.schedule.layout() == ChunkLayout::two_way;
    for (std::size_t i = 0; i < times.stages.size(); ++i) {
      const Seconds end = closed.finish[i];
      CHECK(times.stages[i].finished <= end * (1 + 1e-12));
      if (!two_ways)
        CHECK(times.stages[i].finished.si() == testing::about(end.si()).epsilon(1e-12));
    }
  });
}

TEST_CASE("on equal stages without contention the simulator is the closed form to 0.1 %") {
  double worst = 0;
  int runs = 0;
  for_runs(13, 1800, [&](const Run& any) {
    const Run run = with_equal_stages(any);
    if (!is_legal(run)) return;
    Workspace w;
    StepPlan plan = plan_step(run, w);
    const double closed = estimate<double>(run, w).step_time.si();
    if (!has_equal_stages(plan) || !has_equal_directions(run, w)) return;
    ++runs;
    const PassGraph graph = graph_of(run);
    const auto sweep = [&](Keep keep) { return sweep_step(plan, graph, kNoEffects, keep); };
    settle(plan, graph, sweep);
    const double simulated = sweep(Keep::stages).step.si();
    const double difference = std::abs(simulated / closed - 1);
    worst = std::max(worst, difference);
    CHECK(difference <= 1e-3);
  });
  CHECK(runs >= 1000 / testing::kShare);
  MESSAGE(runs << " runs, largest difference " << worst);
}

// A stage gathers its weights before its first pass; the closed form counts the gather at its end,
// and all ends at once where stages go on to the next step alone.
TEST_CASE("on unequal stages without contention the simulator is the closed form to 1 %") {
  std::vector<double> differences;
  for_runs(14, 1800, [&](const Run& run) {
    const bool two_ways = schedule_of(run).layout() == ChunkLayout::two_way;
    if (run.strategy.pp == 1 || two_ways || run.strategy.post_validation) return;
    Workspace w;
    StepPlan plan = plan_step(run, w);
    if (has_equal_stages(plan)) return;
    const double closed = estimate<double>(run, w).step_time.si();
    const PassGraph graph = graph_of(run);
    const auto sweep = [&](Keep keep) { return sweep_step(plan, graph, kNoEffects, keep); };
    settle(plan, graph, sweep);
    differences.push_back(sweep(Keep::stages).step.si() / closed - 1);
  });
  REQUIRE(differences.size() > 0);
  const auto beyond = [](double d) { return std::abs(d) > 0.01; };
  const auto far = std::count_if(differences.begin(), differences.end(), beyond);
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  MESSAGE(differences.size() << " runs, " << far << " beyond 1 %, from " << *least << " to "
                             << *most);
  // About one in a hundred: 5 of 615, 8 of 600 and 6 of 639 in three draws. The farthest is a split
  // backward pass whose weights come from drives, which are four fifths of its step.
  CHECK(static_cast<double>(far) <= 0.02 * static_cast<double>(differences.size()));
  CHECK(*least >= -0.07);
  CHECK(*most <= 0.07);
}
