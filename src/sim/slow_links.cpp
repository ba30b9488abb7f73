// SPDX-License-Identifier: Apache-2.0
#include "sim/slow_links.h"

#include <algorithm>

#include "estimate/run.h"

namespace orrery {

std::size_t tier_between_nodes(const Cluster& c) {
  return std::min(tier_of(c, c.devices_per_node) + 1, static_cast<std::size_t>(c.tier_count));
}

std::vector<double> slowness_of_links(const Run& run, const std::vector<Slow>& slow) {
  std::vector<double> by_stage(static_cast<std::size_t>(run.strategy.pp), 1);
  if (tier_between_nodes(run.cluster) >= run.cluster.tier_count) return by_stage;
  const std::int64_t world = world_size(run.strategy);
  std::vector<double> by_node(
      static_cast<std::size_t>((world - 1) / run.cluster.devices_per_node + 1), 1);
  for (const Slow& s : slow) {
    const auto node = static_cast<std::size_t>(s.which);
    if (s.part == SlowPart::link && node < by_node.size()) by_node[node] *= s.factor;
  }
  for (std::int64_t rank = 0; rank < world; ++rank) {
    double& stage = by_stage[static_cast<std::size_t>(place_of_rank(run.strategy, rank).stage)];
    stage = std::max(stage, by_node[static_cast<std::size_t>(rank / run.cluster.devices_per_node)]);
  }
  return by_stage;
}

Run with_slow_links(const Run& run, double factor) {
  Run slow = run;
  for (std::size_t i = tier_between_nodes(run.cluster); i < run.cluster.tier_count; ++i) {
    Tier& t = slow.cluster.tiers[i];
    t.bandwidth = t.bandwidth / factor;
    for (GroupBandwidth& g : t.group_bandwidth) g.bandwidth = g.bandwidth / factor;
    t.latency = t.latency * factor;
    t.reduction_latency = t.reduction_latency * factor;
    t.ramp = t.ramp * factor;
  }
  return slow;
}

void take_slow_stages(const StepPlan& slow, double factor, const std::vector<double>& by_stage,
                      StepPlan& plan) {
  const auto is_slow = [&](std::size_t a, std::size_t b) {
    return std::max(by_stage[a], by_stage[b]) == factor;
  };
  const std::size_t p = plan.stages.size();
  for (std::size_t c = 0; c < plan.passes.size(); ++c) {
    if (is_slow(c % p, c % p)) plan.passes[c] = slow.passes[c];
    const SendEnds to = send_ends(plan, static_cast<std::int64_t>(c));
    if (is_slow(c % p, static_cast<std::size_t>(to.forward))) {
      plan.sends[c].forward = slow.sends[c].forward;
    }
    if (is_slow(c % p, static_cast<std::size_t>(to.backward))) {
      plan.sends[c].backward = slow.sends[c].backward;
    }
  }
  for (std::size_t i = 0; i < p; ++i) {
    if (is_slow(i, i)) plan.stages[i] = slow.stages[i];
  }
  for (std::size_t k = 0; k < plan.rendezvous.size(); ++k) {
    const Rendezvous& r = slow.rendezvous[k];
    if (is_slow(r.first, r.second)) plan.rendezvous[k] = r;
  }
}

}  // namespace orrery
