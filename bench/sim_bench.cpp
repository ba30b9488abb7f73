// SPDX-License-Identifier: Apache-2.0
//
// The simulator's parts, beside what a machine can do at best: a sweep of a cached graph, and
// pending events (hold model: every pop pushes one). The limits are those of bare loops on two
// cores of the kind this project is developed on, g++ -O3 -march=native on a pinned core: a
// longest-path sweep of the same graph in compressed rows, and a calendar queue tuned to the
// distribution. Other load doubles both; a ratio is fair where bench and limit run on the same
// quiet machine.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sim/event_queue.h"
#include "sim/play.h"
#include "sim/random.h"

namespace orrery {
namespace {

constexpr double kSweepLimit = 1.5;  // ns a node

// Events pending, and what of one costs a calendar queue, ns.
struct QueueLimit {
  std::size_t pending;
  double nanoseconds;
};
constexpr std::array<QueueLimit, 5> kQueueLimits = {
    {{16, 21}, {256, 13}, {4096, 14}, {65536, 20}, {1'000'000, 64}}};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A cheap exponential gap, so that the queue is what is measured.
class Gaps {
 public:
  Gaps() {
    for (std::size_t i = 0; i < kCount; ++i) {
      gaps_[i] = -std::log(1 - uniform_number(1, i, 0));
    }
  }
  double next() { return gaps_[at_++ & (kCount - 1)]; }

 private:
  static constexpr std::size_t kCount = 1 << 16;
  std::vector<double> gaps_ = std::vector<double>(kCount);
  std::size_t at_ = 0;
};

void hold(const QueueLimit& limit) {
  const std::size_t pending = limit.pending;
  Gaps gaps;
  double best = 1e9;
  double sum = 0;
  for (int trial = 0; trial < 3; ++trial) {
    EventQueue queue;
    for (std::size_t i = 0; i < pending; ++i) queue.push(gaps.next(), 0);
    for (std::size_t i = 0; i < 2 * pending; ++i) queue.push(queue.pop().time + gaps.next(), 0);
    constexpr int kEvents = 4'000'000;
    const double start = seconds_now();
    for (int i = 0; i < kEvents; ++i) {
      const Event e = queue.pop();
      sum += e.time;
      queue.push(e.time + gaps.next(), e.what);
    }
    best = std::min(best, (seconds_now() - start) / kEvents);
  }
  std::printf("events, %8zu pending  %6.1f ns an event (pop and push), %4.1f times the limit%s\n",
              pending, best * 1e9, best * 1e9 / limit.nanoseconds, sum > 0 ? "" : " ");
}

StepPlan plan_of(const PipelineShape& shape, ScheduleId schedule) {
  StepPlan plan;
  plan.schedule = schedule;
  plan.shape = shape;
  const auto n = static_cast<std::size_t>(virtual_stages(shape));
  plan.passes.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    plan.passes[j].forward = Seconds(1 + 0.01 * static_cast<double>(j % 7));
    plan.passes[j].backward = Seconds(2);
  }
  plan.sends.assign(n, {Seconds(0.05), Seconds(0.05), 0, 0});
  plan.stages.resize(static_cast<std::size_t>(shape.stages));
  plan.begins.assign(plan.stages.size(), Seconds());
  return plan;
}

void step(ScheduleId schedule, const PipelineShape& shape) {
  const StepPlan plan = plan_of(shape, schedule);
  const double start = seconds_now();
  const PassGraph graph = make_graph(schedule, shape);
  const double made = seconds_now() - start;
  const auto nodes = static_cast<double>(graph.nodes.size());
  StepClock times;
  double swept = 1e9;
  for (int trial = 0; trial < 20; ++trial) {
    const double from = seconds_now();
    sweep_step(plan, graph, {}, Keep::stages, times);
    swept = std::min(swept, seconds_now() - from);
  }
  const double from = seconds_now();
  const PlayedStep played = play_step(plan, graph, {}, {});
  const double time = seconds_now() - from;
  std::printf(
      "p %3lld v %lld m %5lld  %9.0f passes  graph %6.1f ns  sweep %8.3f ms %5.2f ns a pass (%.1f "
      "times the limit)  "
      "events %8.2f ms %5.1f ns an event (%.2f)\n",
      static_cast<long long>(shape.stages), static_cast<long long>(shape.chunks),
      static_cast<long long>(shape.micro_batches), nodes, made * 1e9 / nodes, swept * 1e3,
      swept * 1e9 / nodes, swept * 1e9 / nodes / kSweepLimit, time * 1e3,
      time * 1e9 / static_cast<double>(played.events), (played.times.step - times.step).si());
}

}  // namespace
}  // namespace orrery

int main() {
  using orrery::ScheduleId;
  for (const orrery::QueueLimit& limit : orrery::kQueueLimits) orrery::hold(limit);
  orrery::step(ScheduleId::one_f_one_b, {8, 1, 64});
  orrery::step(ScheduleId::interleaved, {16, 2, 128});
  orrery::step(ScheduleId::one_f_one_b, {64, 1, 512});
  orrery::step(ScheduleId::interleaved, {64, 4, 512});
  orrery::step(ScheduleId::interleaved, {64, 4, 4096});
}
