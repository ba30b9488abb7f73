// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "estimate/steady.h"
#include "parallel/schedules/walk.h"

namespace orrery {
namespace {

using StageCost = PipelineWorkspace::StageCost;
using Both = PipelineWorkspace::Both;

// Nothing follows the last forward and the last backward step of a micro batch.
void fill_costs(const PipelineCosts& from, std::vector<StageCost>& to) {
  const std::size_t count = from.forward.size();
  to.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    to[j] = {from.forward[j].si(), j + 1 == count ? 0.0 : from.send_forward[j].si(),
             from.backward[j].si(), j == 0 ? 0.0 : from.send_backward[j - 1].si()};
  }
}

// A time, or a pair of times: the later one, after a step, and where a send ends.
Seconds later(Seconds a, Seconds b) { return std::max(a, b); }
Seconds after(Seconds t, double step) { return Seconds(t.si() + step); }
Seconds sent(Seconds t, double delay) { return Seconds(t.si() + delay); }
Both later(Both a, Both b) { return {a.at < b.at ? b.at : a.at}; }
Both after(Both t, double step) { return {t.at + Both::Lanes{step, step}}; }
Both sent(Both t, double delay) { return {t.at + Both::Lanes{delay, 0}}; }

// When results arrive where they are needed. A step reads the result of its neighbour before the
// neighbour has the next one, so one cell a stage is enough; only where a micro batch goes on from
// the last stage to the first, as another chunk, others come between: one cell a micro batch.
template <class Time>
struct Arrivals {
  Time* down;      // at stage i, from i − 1
  Time* up;        // at stage i, from i + 1, in cell i + 1
  Time* on_first;  // at the first stage, from the last, by micro batch
  Time* on_last;   // at the last stage, from the first

  Arrivals(const PipelineShape& shape, bool several_chunks, std::vector<Time>& memory) {
    const auto cells = static_cast<std::size_t>(shape.stages) + 1;
    const auto rounds = static_cast<std::size_t>(several_chunks ? shape.micro_batches : 0);
    memory.resize(std::max(memory.size(), 2 * (cells + rounds)));
    down = memory.data();
    up = down + cells;
    on_first = up + cells;
    on_last = on_first + rounds;
    down[0] = up[cells - 1] = Time{};  // who has no neighbour there waits for nothing
  }
};

// Plays all steps. clock[i] is the time stage i is free: 0 at first, in the end when it is done.
// The first chunk of the first stage waits for nothing, nor does the last chunk of the last one for
// a gradient.
template <class Order, class Time>
void play(const PipelineShape& shape, const StageCost* costs, const Arrivals<Time>& at,
          Time* clock) {
  const std::int64_t p = shape.stages;
  const std::int64_t last_chunk = shape.chunks - 1;
  const auto forward = [=](std::int64_t stage, std::int64_t chunk, std::int64_t micro_batch) {
    const bool goes_on = Order::kSeveralChunks && stage == 0 && chunk > 0;
    const StageCost& cost = costs[chunk * p + stage];
    const Time arrived = goes_on ? at.on_first[micro_batch] : at.down[stage];
    const Time done = after(later(clock[stage], arrived), cost.forward);
    clock[stage] = done;
    at.down[stage + 1] = sent(done, cost.forward_delay);
    if (Order::kSeveralChunks && stage + 1 == p) at.on_first[micro_batch] = at.down[p];
  };
  const auto backward = [=](std::int64_t stage, std::int64_t chunk, std::int64_t micro_batch) {
    const bool goes_on = Order::kSeveralChunks && stage + 1 == p && chunk < last_chunk;
    const StageCost& cost = costs[chunk * p + stage];
    const Time arrived = goes_on ? at.on_last[micro_batch] : at.up[stage + 1];
    const Time done = after(later(clock[stage], arrived), cost.backward);
    clock[stage] = done;
    at.up[stage] = sent(done, cost.backward_delay);
    if (Order::kSeveralChunks && stage == 0) at.on_last[micro_batch] = at.up[0];
  };
  walk_waves<Order>(shape, forward, backward);
}

// Plays a schedule that has a closed form.
template <class Time>
void play_rounds(ScheduleId schedule, const PipelineShape& shape, const PipelineCosts& costs,
                 PipelineWorkspace& w, std::vector<Time>& arrivals, std::vector<Time>& finish) {
  fill_costs(costs, w.costs);
  finish.assign(static_cast<std::size_t>(shape.stages), Time{});
  const PipelineShape one = one_run(shape);
  with_rounds_of(schedule, [&]<class Order>() {
    const Arrivals<Time> at(one, Order::kSeveralChunks, arrivals);
    for (std::int64_t i = 0; i < shape.runs; ++i) {
      play<Order>(one, w.costs.data(), at, finish.data());
    }
  });
}

void fill_busy(const PipelineShape& shape, const PipelineCosts& costs, std::vector<Seconds>& busy) {
  const auto p = static_cast<std::size_t>(shape.stages);
  const auto m = static_cast<double>(shape.micro_batches);
  busy.assign(p, Seconds(0));
  for (std::size_t chunk = 0; chunk < costs.forward.size(); chunk += p) {
    for (std::size_t i = 0; i < p; ++i) {
      busy[i] += m * (costs.forward[chunk + i] + costs.backward[chunk + i]);
    }
  }
}

void fill_step_costs(const PipelineCosts& from, std::vector<PipelineWorkspace::StepCost>& to) {
  const std::size_t count = from.forward.size();
  to.assign(count * kSweepKinds + 1, {0, 0});
  const auto up = [&](std::size_t j) { return j == 0 ? 0.0 : from.send_backward[j - 1].si(); };
  for (std::size_t j = 0; j < count; ++j) {
    PipelineWorkspace::StepCost* const c = &to[j * kSweepKinds];
    const double down = j + 1 == count ? 0.0 : from.send_forward[j].si();
    const double weight = from.weight_gradient.empty() ? 0.0 : from.weight_gradient[j].si();
    c[0] = {from.forward[j].si(), down};
    c[1] = {from.backward[j].si(), up(j)};
    c[2] = {from.backward[j].si() - weight, up(j)};
    c[3] = {weight, 0};
    // A pair's backward is of the other part of its stage.
    if (!from.pair.empty()) c[4] = {from.pair[j].si(), up(count - 1 - j)};
    c[5] = {0, down};
  }
}

// clock[i] is the time stage i is free.
template <class Time>
void play(const SweepGraph& graph, const PipelineWorkspace::StepCost* costs, Time* cells,
          Time* clock) {
  for (const std::uint32_t edge : graph.edges) cells[edge] = Time{};
  for (const SweepNode& n : graph.nodes) {
    const PipelineWorkspace::StepCost& c = costs[n.cost];
    const Time done = after(later(clock[n.stage], cells[n.wait]), c.time);
    clock[n.stage] = done;
    cells[n.fill] = sent(done, c.delay);
  }
}

// When every stage begins, all being free at 0.
void find_begins(const SweepGraph& graph, PipelineWorkspace& w) {
  for (const std::uint32_t edge : graph.edges) w.arrivals[edge] = Seconds();
  std::vector<Seconds>& begins = w.begins;
  begins.assign(w.finish.size(), Seconds(-1));
  for (const SweepNode& n : graph.nodes) {
    const PipelineWorkspace::StepCost& c = w.step_costs[n.cost];
    const Seconds begin = later(w.finish[n.stage], w.arrivals[n.wait]);
    if (begins[n.stage] < Seconds()) begins[n.stage] = begin;
    w.finish[n.stage] = after(begin, c.time);
    w.arrivals[n.fill] = sent(w.finish[n.stage], c.delay);
  }
  std::swap(w.begins, w.finish);
}

void fill_busy(const SweepGraph& graph, const PipelineCosts& costs, std::vector<Seconds>& busy) {
  const PipelineShape& shape = graph.shape;
  const ChunkLayout layout = graph.schedule.layout();
  busy.assign(static_cast<std::size_t>(shape.stages), Seconds(0));
  for (std::int64_t i = 0; i < shape.stages; ++i) {
    for (std::int64_t c = 0; c < shape.chunks; ++c) {
      const MicroBatchRange range = micro_batches_of(layout, shape, c);
      const auto j = static_cast<std::size_t>(part_of(layout, shape, i, c));
      Seconds& sum = busy[static_cast<std::size_t>(i)];
      sum += static_cast<double>(range.end - range.first) * (costs.forward[j] + costs.backward[j]);
      if (costs.pair.empty() || graph.pairs_of(i, c) == 0) continue;
      const std::size_t other = costs.forward.size() - 1 - j;
      sum += static_cast<double>(graph.pairs_of(i, c)) *
             (costs.pair[j] - costs.forward[j] - costs.backward[other]);
    }
  }
}

const SweepGraph& set_up(const ScheduleRef& schedule, const PipelineShape& shape,
                         const PipelineCosts& costs, PipelineWorkspace& w) {
  const SweepGraph& graph = w.graphs.of(schedule, shape);
  fill_step_costs(costs, w.step_costs);
  w.finish.assign(static_cast<std::size_t>(shape.stages), Seconds(0));
  if (w.arrivals.size() < graph.cells) w.arrivals.resize(graph.cells);
  return graph;
}

PipelineTimes sweep_written(const ScheduleRef& schedule, const PipelineShape& shape,
                            const PipelineCosts& costs, PipelineWorkspace& w) {
  const SweepGraph& graph = set_up(schedule, shape, costs, w);
  fill_busy(graph, costs, w.busy);
  play(graph, w.step_costs.data(), w.arrivals.data(), w.finish.data());
  return {*std::max_element(w.finish.begin(), w.finish.end()), w.finish, w.busy};
}

void play_both_written(const ScheduleRef& schedule, const PipelineShape& shape,
                       const PipelineCosts& costs, PipelineWorkspace& w) {
  const SweepGraph& graph = set_up(schedule, shape, costs, w);
  w.both_finish.assign(w.finish.size(), Both{});
  if (w.both_arrivals.size() < graph.cells) w.both_arrivals.resize(graph.cells);
  play(graph, w.step_costs.data(), w.both_arrivals.data(), w.both_finish.data());
}

}  // namespace

PipelineTimes sweep(const ScheduleRef& schedule, const PipelineShape& shape,
                    const PipelineCosts& costs, PipelineWorkspace& workspace) {
  const bool alone = virtual_stages(shape) == 1;
  if (schedule.entry().written_out && !alone) {
    return sweep_written(schedule, shape, costs, workspace);
  }
  fill_busy(shape, costs, workspace.busy);
  if (alone) return {workspace.busy[0], workspace.busy, workspace.busy};
  play_rounds(schedule.id, shape, costs, workspace, workspace.arrivals, workspace.finish);
  const Seconds makespan = *std::max_element(workspace.finish.begin(), workspace.finish.end());
  return {makespan, workspace.finish, workspace.busy};
}

std::span<const Both> sweep_both(const ScheduleRef& schedule, const PipelineShape& shape,
                                 const PipelineCosts& costs, PipelineWorkspace& w) {
  if (virtual_stages(shape) == 1) {
    const double makespan = sweep(schedule, shape, costs, w).makespan.si();
    w.both_finish.assign(1, {Both::Lanes{makespan, makespan}});
  } else if (schedule.entry().written_out) {
    play_both_written(schedule, shape, costs, w);
  } else {
    play_rounds(schedule.id, shape, costs, w, w.both_arrivals, w.both_finish);
  }
  return w.both_finish;
}

Seconds steady_period(const ScheduleRef& schedule, const PipelineShape& shape,
                      const PipelineCosts& costs, bool ends_synchronise, PipelineWorkspace& w) {
  const SweepGraph& graph = set_up(schedule, shape, costs, w);
  find_begins(graph, w);
  Steady steady(w.finish, w.before);
  do {
    play(graph, w.step_costs.data(), w.arrivals.data(), w.finish.data());
    if (ends_synchronise) meet(w.finish.front(), w.finish.back());
  } while (!steady.settles(w.finish));
  return steady.period();
}

Seconds pipeline_lower_bound(const PipelineShape& shape, const PipelineCosts& costs) {
  const auto p = static_cast<std::size_t>(shape.stages);
  const auto m = static_cast<double>(shape.micro_batches);
  Seconds bound{};
  Seconds on_the_way{};  // down to stage i and up from it, on chunk 0
  for (std::size_t i = 0; i < p; ++i) {
    Seconds busy{};
    for (std::size_t j = i; j < costs.forward.size(); j += p) {
      busy += costs.forward[j] + costs.backward[j];
    }
    bound = std::max(bound, on_the_way + m * busy);
    on_the_way += costs.forward[i] + costs.backward[i];
    if (i + 1 < p) on_the_way += costs.send_forward[i] + costs.send_backward[i];
  }
  return bound;
}

}  // namespace orrery
