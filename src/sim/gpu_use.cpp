// SPDX-License-Identifier: Apache-2.0
#include "sim/gpu_use.h"

#include <algorithm>

#include "estimate/run.h"

namespace orrery {
namespace {

std::vector<Seconds> kernels_by_stage(const StepPlan& plan) {
  std::vector<Seconds> sums(plan.stages.size());
  for (std::size_t c = 0; c < plan.passes.size(); ++c) {
    const PassPlan& p = plan.passes[c];
    sums[c % sums.size()] +=
        (kernels(p.forward_terms) + kernels(p.backward_terms)) * micro_batches_through(plan, c);
  }
  return sums;
}

std::int64_t first_replica_of(const SimulatedReplicas& simulated, std::size_t shown) {
  const auto& classes = simulated.replica_class;
  const auto first = std::find(classes.begin(), classes.end(), static_cast<std::int64_t>(shown));
  return first == classes.end() ? 0 : first - classes.begin();
}

}  // namespace

std::size_t last_ready(const StepClock& times, std::size_t stages) {
  std::size_t last = 0;
  for (std::size_t a = 0; a < times.stages.size(); ++a) {
    if (times.stages[a].finished > times.stages[last].finished) last = a;
  }
  return last / stages;
}

Speeds speeds_of_class(const Speeds& all, std::size_t shown, std::size_t stages) {
  Speeds one = all;
  one.replicas = 1;
  one.first_replica = static_cast<std::int64_t>(shown);
  one.compute.assign(all.compute.begin() + static_cast<std::ptrdiff_t>(shown * stages),
                     all.compute.begin() + static_cast<std::ptrdiff_t>((shown + 1) * stages));
  return one;
}

GpuUse gpu_use(const Run& run, const StepPlan& plan, const SimulatedReplicas& simulated,
               const Disturbances& d, std::size_t shown, Seconds step) {
  GpuUse g;
  g.replicas_played = simulated.speeds.replicas;
  g.ranks_of_actor = simulated.ranks_of_actor;
  g.actors = g.replicas_played * plan.shape.stages;
  g.slowest_replica = first_replica_of(simulated, shown);
  const std::vector<Seconds> of_stage = kernels_by_stage(plan);
  const std::int64_t world = world_size(run.strategy);
  for (std::int64_t rank = 0; rank < world; ++rank) {
    const RankPlace at = place_of_rank(run.strategy, rank);
    const double slow = slowness_of_rank(run, d, rank);
    g.slowness.push_back(slow);
    g.busy_share.push_back(of_stage[static_cast<std::size_t>(at.stage)].si() *
                           (slow + d.jitter / 2) / step.si());
  }
  return g;
}

}  // namespace orrery
