// SPDX-License-Identifier: Apache-2.0
//
// Time of one sweep of a pipeline's graph, per node (a step of a stage), and of the first one,
// which builds the graph of a schedule that is written out.
#include <chrono>
#include <cstdio>
#include <vector>

#include "estimate/pipeline.h"
#include "estimate/workspace.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

struct Case {
  ScheduleId schedule;
  PipelineShape shape;
};

constexpr Case kCases[] = {
    {ScheduleId::one_f_one_b, {8, 1, 64}},    {ScheduleId::gpipe, {8, 1, 64}},
    {ScheduleId::interleaved, {8, 2, 64}},    {ScheduleId::interleaved, {16, 2, 128}},
    {ScheduleId::one_f_one_b, {64, 1, 512}},  {ScheduleId::gpipe, {64, 1, 512}},
    {ScheduleId::interleaved, {64, 4, 512}},  {ScheduleId::one_f_one_b, {64, 1, 4096}},
    {ScheduleId::interleaved, {64, 4, 4096}}, {ScheduleId::breadth_first, {64, 4, 512}},
    {ScheduleId::zb_h1, {64, 1, 512}},        {ScheduleId::zb_h2, {64, 1, 512}},
    {ScheduleId::zb_v, {64, 2, 512}},         {ScheduleId::v_half, {64, 2, 512}},
    {ScheduleId::v_min, {64, 2, 512}},        {ScheduleId::dualpipe, {64, 2, 512}},
    {ScheduleId::dualpipev, {64, 2, 512}},
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void run(const Case& c) {
  const auto count = static_cast<std::size_t>(parts(schedule_of(c.schedule).layout, c.shape));
  std::vector<Seconds> forward(count);
  for (std::size_t j = 0; j < count; ++j)
    forward[j] = Seconds(1.0 + 0.01 * static_cast<double>(j % 7));
  const std::vector<Seconds> backward(count, Seconds(2.0));
  const std::vector<Seconds> send(count - 1, Seconds(0.05));
  const std::vector<Seconds> weight(count, Seconds(1.0));
  const std::vector<Seconds> pair(count, Seconds(2.9));
  const PipelineCosts costs{forward, backward, send, send, weight, pair};
  std::int64_t steps = 0;
  for (const Program& p : programs_of(c.schedule, c.shape)) {
    steps += static_cast<std::int64_t>(p.size());
  }
  const auto nodes = static_cast<double>(steps);
  PipelineWorkspace workspace;
  const double before = seconds_now();
  sweep(c.schedule, c.shape, costs, workspace);
  const double first = seconds_now() - before;
  double best = 1e9;
  double makespan = 0;
  const int repeats = 1 + static_cast<int>(2e6 / nodes);
  for (int trial = 0; trial < 20; ++trial) {
    const double start = seconds_now();
    for (int i = 0; i < repeats; ++i) {
      makespan = sweep(c.schedule, c.shape, costs, workspace).makespan.si();
    }
    best = std::min(best, (seconds_now() - start) / repeats);
  }
  std::printf(
      "%-12s p %3lld  v %lld  m %5lld  %9.0f nodes  %10.2f us  %5.2f ns/node  first %9.2f us  "
      "(%.2f)\n",
      name_of(c.schedule).data(), static_cast<long long>(c.shape.stages),
      static_cast<long long>(c.shape.chunks), static_cast<long long>(c.shape.micro_batches), nodes,
      best * 1e6, best * 1e9 / nodes, first * 1e6, makespan);
}

}  // namespace
}  // namespace orrery

int main() {
  for (const orrery::Case& c : orrery::kCases) orrery::run(c);
}
