// SPDX-License-Identifier: Apache-2.0
//
// The sweep against closed forms, against an event simulation of its own, and against its bounds.
#include "estimate/pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "estimate/workspace.h"
#include "parallel/schedules/table.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

struct Pipeline {
  ScheduleId id = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  std::vector<Seconds> send_forward;
  std::vector<Seconds> send_backward;

  PipelineCosts costs() const { return {forward, backward, send_forward, send_backward}; }
};

Pipeline equal_stages(ScheduleId id, const PipelineShape& shape, double f, double b, double send) {
  const auto count = static_cast<std::size_t>(virtual_stages(shape));
  const std::vector<Seconds> sends(count - 1, Seconds(send));
  return {id,
          shape,
          std::vector<Seconds>(count, Seconds(f)),
          std::vector<Seconds>(count, Seconds(b)),
          sends,
          sends};
}

// Whole numbers, so that sums are exact in any order.
Pipeline random_stages(ScheduleId id, const PipelineShape& shape, unsigned seed, bool free_sends) {
  std::mt19937 random(seed);
  Pipeline p = equal_stages(id, shape, 0, 0, 0);
  for (Seconds& s : p.forward) s = Seconds(static_cast<double>(1 + random() % 20));
  for (Seconds& s : p.backward) s = Seconds(static_cast<double>(1 + random() % 40));
  if (free_sends) return p;
  for (Seconds& s : p.send_forward) s = Seconds(static_cast<double>(random() % 6));
  for (Seconds& s : p.send_backward) s = Seconds(static_cast<double>(random() % 6));
  return p;
}

Seconds makespan(const Pipeline& p) {
  PipelineWorkspace workspace;
  return sweep(p.id, p.shape, p.costs(), workspace).makespan;
}

// Stages as actors: whoever can begin its next step does, until nobody can. Knows the programs of
// the stages only, not the order of the sweep.
std::vector<double> simulate(const Pipeline& p) {
  constexpr double kNever = -1;
  const std::int64_t last = virtual_stages(p.shape) - 1;
  const auto stages = static_cast<std::size_t>(p.shape.stages);
  const auto micro_batches = static_cast<std::size_t>(p.shape.micro_batches);
  std::vector<std::vector<Step>> programs(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    walk_stage(p.id, p.shape, static_cast<std::int64_t>(i),
               [&](const Step& s) { programs[i].push_back(s); });
  }
  const std::vector<double> never(micro_batches, kNever);
  std::vector<std::vector<double>> forward(static_cast<std::size_t>(last + 1), never);
  auto backward = forward;
  std::vector<double> clock(stages, 0.0);
  std::vector<std::size_t> next(stages, 0);
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t i = 0; i < stages; ++i) {
      if (next[i] == programs[i].size()) continue;
      const Step& s = programs[i][next[i]];
      const auto j = static_cast<std::size_t>(s.chunk * p.shape.stages) + i;
      const auto micro = static_cast<std::size_t>(s.micro_batch);
      double ready = 0;
      if (s.kind == StepKind::forward && j > 0) {
        if (forward[j - 1][micro] == kNever) continue;
        ready = forward[j - 1][micro] + p.send_forward[j - 1].si();
      }
      if (s.kind == StepKind::backward && j < static_cast<std::size_t>(last)) {
        if (backward[j + 1][micro] == kNever) continue;
        ready = backward[j + 1][micro] + p.send_backward[j].si();
      }
      const bool is_forward = s.kind == StepKind::forward;
      clock[i] = std::max(clock[i], ready) + (is_forward ? p.forward[j].si() : p.backward[j].si());
      (is_forward ? forward : backward)[j][micro] = clock[i];
      ++next[i];
      moved = true;
    }
  }
  for (std::size_t i = 0; i < stages; ++i) REQUIRE(next[i] == programs[i].size());
  return clock;
}

std::vector<Pipeline> random_cases(bool free_sends) {
  std::vector<Pipeline> cases;
  unsigned seed = 1;
  for (const std::int64_t p : {1, 2, 3, 4, 7, 8}) {
    for (const std::int64_t m : {1, 2, 3, 8, 21}) {
      cases.push_back(random_stages(ScheduleId::gpipe, {p, 1, m}, ++seed, free_sends));
      cases.push_back(random_stages(ScheduleId::one_f_one_b, {p, 1, m}, ++seed, free_sends));
      cases.push_back(random_stages(ScheduleId::deepspeed, {p, 1, m}, ++seed, free_sends));
    }
    if (p == 1) continue;
    for (const std::int64_t runs : {2, 3}) {
      const PipelineShape several{p, 1, 4 * runs, runs};
      cases.push_back(random_stages(ScheduleId::one_f_one_b, several, ++seed, free_sends));
      cases.push_back(
          random_stages(ScheduleId::interleaved, {p, 2, 2 * p * runs, runs}, ++seed, free_sends));
    }
    for (const std::int64_t v : {2, 3, 5}) {
      for (const std::int64_t groups : {1, 2, 6}) {
        cases.push_back(
            random_stages(ScheduleId::interleaved, {p, v, groups * p}, ++seed, free_sends));
        cases.push_back(
            random_stages(ScheduleId::breadth_first, {p, v, p + groups - 1}, ++seed, free_sends));
      }
    }
  }
  return cases;
}

double total(const std::vector<std::int64_t>& counts, const std::vector<Seconds>& costs) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += static_cast<double>(counts[i]) * costs[i].si();
  }
  return sum;
}

// A run of 1F1B with one chunk and free sends takes at most Σ(fᵢ + bᵢ) + (m − 1)·max(fᵢ + bᵢ).
Seconds upper_bound_of_1f1b(const PipelineShape& shape, const PipelineCosts& costs) {
  Seconds sum{};
  Seconds slowest{};
  for (std::size_t i = 0; i < costs.forward.size(); ++i) {
    const Seconds both = costs.forward[i] + costs.backward[i];
    sum += both;
    slowest = std::max(slowest, both);
  }
  const PipelineShape one = one_run(shape);
  return static_cast<double>(shape.runs) *
         (sum + static_cast<double>(one.micro_batches - 1) * slowest);
}

}  // namespace

TEST_CASE("on equal stages with free sends the bubble is the closed form") {
  for (const std::int64_t p : {1, 2, 4, 8, 16}) {
    for (const std::int64_t m : {16, 32, 48}) {
      for (const std::int64_t v : {1, 2, 4}) {
        for (const ScheduleId id : {ScheduleId::gpipe, ScheduleId::one_f_one_b,
                                    ScheduleId::deepspeed, ScheduleId::interleaved}) {
          if ((id == ScheduleId::interleaved) != (v > 1) || (p == 1 && v > 1)) continue;
          const PipelineShape shape{p, v, m};
          const Pipeline pipeline = equal_stages(id, shape, 3, 5, 0);
          const Seconds bubble =
              schedule_of(id).bubble(shape, {Seconds(3), Seconds(3), Seconds(2), Seconds(8)});
          CHECK(bubble.si() == static_cast<double>(p - 1) * 8);
          CHECK(makespan(pipeline).si() == static_cast<double>(m * v) * 8 + bubble.si());
        }
      }
    }
  }
}

TEST_CASE(
    "the ratio of the bubble of 1F1B is (p - 1)/m, also with fewer micro batches than stages") {
  for (const std::int64_t m : {1, 3, 8}) {
    const Pipeline pipeline = equal_stages(ScheduleId::one_f_one_b, {8, 1, m}, 1, 2, 0);
    CHECK(makespan(pipeline).si() == static_cast<double>(m + 7) * 3);
  }
}

TEST_CASE("every run of 1F1B has its bubble, (p - 1)(f + b)") {
  const auto of = [](std::int64_t m, std::int64_t runs) {
    return makespan(equal_stages(ScheduleId::one_f_one_b, {4, 1, m, runs}, 1, 2, 0)).si();
  };
  CHECK(of(8, 1) == 33);  // (8 + 3)·3
  CHECK(of(8, 2) == 42);  // 2·(4 + 3)·3
  CHECK(of(8, 8) == 96);  // 8·(1 + 3)·3
}

TEST_CASE("the sweep agrees with an event simulation on uneven stages") {
  PipelineWorkspace workspace;  // shared: what an earlier run left in it must not matter
  for (const Pipeline& p : random_cases(false)) {
    const std::vector<double> expected = simulate(p);
    const PipelineTimes times = sweep(p.id, p.shape, p.costs(), workspace);
    REQUIRE(times.finish.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(times.finish[i].si() == expected[i]);
    }
    CHECK(times.makespan.si() == *std::max_element(expected.begin(), expected.end()));
  }
}

TEST_CASE("one sweep gives the ends of all stages with sends and with free ones, to the bit") {
  PipelineWorkspace both_workspace;
  PipelineWorkspace workspace;
  std::vector<Pipeline> cases = random_cases(false);
  const PipelineShape written = shape_of_pipeline(ScheduleId::zb_h1, 4, 1, 8);
  cases.push_back(random_stages(ScheduleId::zb_h1, written, 7, false));
  for (Pipeline& p : cases) {
    for (Seconds& f : p.forward) f = f / 3;
    const auto both = sweep_both(p.id, p.shape, p.costs(), both_workspace);
    const std::vector<Seconds> free(p.send_forward.size());
    const PipelineCosts costs{p.forward, p.backward, free, free};
    PipelineWorkspace free_workspace;
    const PipelineTimes sent = sweep(p.id, p.shape, p.costs(), workspace);
    const PipelineTimes alone = sweep(p.id, p.shape, costs, free_workspace);
    REQUIRE(both.size() == sent.finish.size());
    for (std::size_t i = 0; i < both.size(); ++i) {
      CHECK(both[i].sent() == sent.finish[i]);
      CHECK(both[i].free() == alone.finish[i]);
    }
  }
}

TEST_CASE("a stage is busy for its own steps") {
  const Pipeline p = random_stages(ScheduleId::interleaved, {4, 3, 8}, 5, false);
  PipelineWorkspace workspace;
  const PipelineTimes times = sweep(p.id, p.shape, p.costs(), workspace);
  for (std::size_t i = 0; i < 4; ++i) {
    double busy = 0;
    for (std::size_t j = i; j < 12; j += 4) busy += 8 * (p.forward[j] + p.backward[j]).si();
    CHECK(times.busy[i].si() == busy);
    CHECK(times.finish[i] >= times.busy[i]);
  }
}

TEST_CASE("the critical path adds up to the makespan") {
  for (const Pipeline& p : random_cases(false)) {
    const CriticalPath path = critical_path(p.id, p.shape, p.costs());
    CHECK(path.time == makespan(p));
    CHECK(total(path.forward, p.forward) + total(path.backward, p.backward) +
              total(path.send_forward, p.send_forward) +
              total(path.send_backward, p.send_backward) ==
          path.time.si());
  }
}

TEST_CASE("the critical path of equal stages goes down once and up once") {
  const Pipeline p = equal_stages(ScheduleId::one_f_one_b, {4, 1, 1}, 1, 2, 0.5);
  const CriticalPath path = critical_path(p.id, p.shape, p.costs());
  CHECK(path.forward == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(path.backward == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(path.send_forward == std::vector<std::int64_t>{1, 1, 1});
  CHECK(path.send_backward == std::vector<std::int64_t>{1, 1, 1});
}

TEST_CASE("the lower bound holds for every schedule and with sends") {
  for (const Pipeline& p : random_cases(false)) {
    CHECK(pipeline_lower_bound(p.shape, p.costs()) <= makespan(p));
  }
}

TEST_CASE("the upper bound holds for 1F1B with free sends") {
  for (const Pipeline& p : random_cases(true)) {
    if (p.id != ScheduleId::one_f_one_b) continue;
    CHECK(makespan(p) <= upper_bound_of_1f1b(p.shape, p.costs()));
  }
}

TEST_CASE("both bounds of 1F1B meet on equal stages") {
  const Pipeline p = equal_stages(ScheduleId::one_f_one_b, {8, 1, 32}, 2, 4, 0);
  CHECK(pipeline_lower_bound(p.shape, p.costs()) == makespan(p));
  CHECK(upper_bound_of_1f1b(p.shape, p.costs()) == makespan(p));
}

TEST_CASE("a slower stage or send never makes the step shorter") {
  for (Pipeline p : random_cases(false)) {
    const Seconds before = makespan(p);
    p.forward[p.forward.size() / 2] += Seconds(1);
    if (!p.send_backward.empty()) p.send_backward[0] += Seconds(1);
    CHECK(makespan(p) >= before);
  }
}
