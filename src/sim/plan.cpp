// SPDX-License-Identifier: Apache-2.0
#include "sim/plan.h"

#include <algorithm>

#include "cost/beside.h"
#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/end_of_step.h"
#include "estimate/offload.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/stage_contents.h"
#include "estimate/workspace.h"
#include "parallel/partition.h"
#include "parallel/schedules/table.h"

namespace orrery {

std::int64_t part_of_cell(const StepPlan& plan, std::int64_t cell) {
  const std::int64_t p = plan.shape.stages;
  return part_of(plan.schedule.layout(), plan.shape, cell % p, cell / p);
}

double micro_batches_through(const StepPlan& plan, std::size_t cell) {
  const MicroBatchRange r = micro_batches_of(plan.schedule.layout(), plan.shape,
                                             static_cast<std::int64_t>(cell) / plan.shape.stages);
  return static_cast<double>(r.end - r.first);
}

SendEnds send_ends(const StepPlan& plan, std::int64_t cell) {
  const std::int64_t p = plan.shape.stages;
  const ChunkLayout layout = plan.schedule.layout();
  const std::int64_t part = part_of_cell(plan, cell);
  const std::int64_t micro_batch = micro_batches_of(layout, plan.shape, cell / p).first;
  const auto stage_of = [&](std::int64_t other) {
    if (other < 0 || other >= parts(layout, plan.shape)) return cell % p;
    return seat_of(layout, plan.shape, other, micro_batch).stage;
  };
  return {stage_of(part + 1), stage_of(part - 1)};
}

namespace {

void plan_passes(const Workspace& w, StepPlan& plan) {
  for (std::int64_t cell = 0; cell < virtual_stages(plan.shape); ++cell) {
    const std::int64_t part = part_of_cell(plan, cell);
    const StageCosts<double>& c = class_of<double>(w, part).costs;
    const auto j = static_cast<std::size_t>(part);
    const Seconds hidden = plan.schedule.entry().pairs ? w.hidden[j] : Seconds();
    plan.passes.push_back(
        {c.forward_time, c.backward_time, c.forward, c.backward, c.weight_time, hidden});
  }
}

// Sends between neighbours, stage i and i + 1 (after the last: 0), cost the same in both
// directions. Nothing goes back to a part that takes no gradient.
class Sends {
 public:
  Sends(const Run& run, const Workspace& w, const StepPlan& plan) : w_(w), plan_(plan) {
    const TierSizes tiers = tier_sizes(run.cluster);
    for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
      time_.push_back(send_cost<double>(run, w.prices.placement, i).time);
      tier_.push_back(static_cast<std::uint8_t>(
          run.strategy.pp > 1 ? pipeline_tier(run.strategy, tiers, i) : 0));
    }
  }

  SendPlan of_cell(std::int64_t cell) const {
    const std::int64_t stage = cell % plan_.shape.stages;
    SendPlan s;
    const auto fill = [&](std::int64_t other, Seconds& time, std::uint8_t& tier) {
      if (other == stage) return;
      const std::int64_t from = boundary(stage, other);
      time = time_[static_cast<std::size_t>(from)];
      tier = tier_[static_cast<std::size_t>(from)];
    };
    const SendEnds to = send_ends(plan_, cell);
    fill(to.forward, s.forward, s.forward_tier);
    const std::int64_t part = part_of_cell(plan_, cell);
    if (takes_gradient<double>(w_, part - 1)) fill(to.backward, s.backward, s.backward_tier);
    return s;
  }

 private:
  std::int64_t boundary(std::int64_t a, std::int64_t b) const {
    const std::int64_t low = std::min(a, b);
    const std::int64_t high = std::max(a, b);
    return high == low + 1 ? low : high;  // first and last stage are neighbours too
  }

  const Workspace& w_;
  const StepPlan& plan_;
  std::vector<Seconds> time_;
  std::vector<std::uint8_t> tier_;
};

OverlapWindows<double> windows_of(const StepPlan& plan, std::int64_t stage) {
  OverlapWindows<double> windows;
  for (std::size_t j = static_cast<std::size_t>(stage); j < plan.passes.size();
       j += static_cast<std::size_t>(plan.shape.stages)) {
    windows.forward += plan.passes[j].forward;
    windows.backward += plan.passes[j].backward;
  }
  return windows;
}

void add(StepTraffic& t, const CommLine<double>& line) {
  t.hidden += line.time - line.exposed;
  t.exposed += line.exposed;
}

}  // namespace

StagePlan plan_stage(const Run& run, const Workspace& w, const StepPlan& plan, std::int64_t i) {
  const StageParameters parameters = parameters_of_stage<double>(run, w, i);
  Answer lines;
  data_parallel_time<double>(run, parameters, windows_of(plan, i), CommSink<double>{lines});
  StagePlan stage;
  for (std::uint8_t k = 0; k < lines.comm_count; ++k) {
    const CommLine<double>& line = lines.comm[k];
    add(line.collective == Collective::all_gather ? stage.weights : stage.gradients, line);
    stage.tier = std::max(stage.tier, line.tier);
    stage.lines.push_back(line);
  }
  const OptimizerTime<double> update = optimizer_time<double>(run, parameters);
  stage.device_update = update.device;
  stage.host_update = update.host;
  return stage;
}

namespace {

std::vector<Rendezvous> rendezvous_of(const Run& run, const Workspace& w, std::int64_t stages) {
  std::vector<Rendezvous> all;
  const auto add = [&](std::int64_t a, std::int64_t b, const CollectiveCost<double>& cost) {
    if (!(cost.time > Seconds())) return;
    all.push_back(
        {static_cast<std::size_t>(a), static_cast<std::size_t>(b), cost.time, cost.message,
         entry_of(CommDimension::embedding, Collective::all_reduce, cost, 2, 1, cost.time)});
  };
  add(0, stages - 1, tied_embedding_cost<double>(run));
  for (std::int64_t i = 0; 2 * i + 1 < stages; ++i) {
    const std::int64_t other = stages - 1 - i;
    add(i, other, copies_cost<double>(run, parameters_of_stage<double>(run, w, i)));
  }
  return all;
}

}  // namespace

StepPlan plan_step(const Run& run, Workspace& w) {
  fill_classes<double>(run, w);
  return plan_filled(run, w);
}

StepPlan plan_filled(const Run& run, const Workspace& w) {
  StepPlan plan;
  plan.schedule = schedule_of(run);
  plan.shape = pipeline_shape(run);
  plan_passes(w, plan);
  const Sends sends(run, w, plan);
  for (std::int64_t cell = 0; cell < virtual_stages(plan.shape); ++cell) {
    plan.sends.push_back(sends.of_cell(cell));
  }
  for (std::int64_t i = 0; i < plan.shape.stages; ++i) {
    plan.stages.push_back(plan_stage(run, w, plan, i));
  }
  plan.rendezvous = rendezvous_of(run, w, plan.shape.stages);
  plan.goes_on = run.strategy.post_validation;
  plan.begins.assign(plan.stages.size(), Seconds());
  plan.overhead = run.framework.host.step_overhead;
  plan.gathers_first = run.framework.overlap.param_gather;
  plan.gradient_use = run.framework.network.fabric_share;
  plan.copy_slowdown = slowdown_beside_copies(run.cluster.device);
  // If weights are gathered in every micro batch, the passes include it already (stage.h).
  if (!gathers_every_micro_batch(run.strategy, run.framework)) {
    plan.slowdown = run.framework.overlap.slowdown;
  }
  return plan;
}

}  // namespace orrery
