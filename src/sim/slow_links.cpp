// SPDX-License-Identifier: Apache-2.0
#include "sim/slow_links.h"

#include <algorithm>
#include <map>

#include "estimate/run.h"

namespace orrery {

std::size_t tier_between_nodes(const Cluster& c) {
  return std::min(tier_of(c, c.devices_per_node) + 1, static_cast<std::size_t>(c.tier_count));
}

LinkState worse(const LinkState& a, const LinkState& b) {
  return {std::max(a.factor, b.factor), std::max(a.cards_failed, b.cards_failed)};
}

std::vector<LinkState> slowness_of_links(const Run& run, const std::vector<Slow>& slow) {
  std::vector<LinkState> by_stage(static_cast<std::size_t>(run.strategy.pp));
  if (tier_between_nodes(run.cluster) >= run.cluster.tier_count) return by_stage;
  std::map<std::int64_t, LinkState> by_node;  // those with slow links
  for (const Slow& s : slow) {
    if (s.part != SlowPart::link) continue;
    LinkState& node = by_node[s.which];
    node.factor *= s.factor;
    node.cards_failed += s.cards_failed;
  }
  if (by_node.empty()) return by_stage;
  for (std::int64_t rank = 0; rank < world_size(run.strategy); ++rank) {
    const auto node = by_node.find(node_of(run.cluster, rank));
    if (node == by_node.end()) continue;
    LinkState& stage = by_stage[static_cast<std::size_t>(place_of_rank(run.strategy, rank).stage)];
    stage = worse(stage, node->second);
  }
  return by_stage;
}

Run with_slow_links(const Run& run, const LinkState& links) {
  Run slow = run;
  const std::size_t above_node = tier_between_nodes(run.cluster);
  for (std::size_t i = above_node; i < run.cluster.tier_count; ++i) {
    Tier& t = slow.cluster.tiers[i];
    t.bandwidth = t.bandwidth / links.factor;
    for (GroupBandwidth& g : t.group_bandwidth) g.bandwidth = g.bandwidth / links.factor;
    t.latency = t.latency * links.factor;
    t.reduction_latency = t.reduction_latency * links.factor;
    t.ramp = t.ramp * links.factor;
    if (i == above_node) t.cards_failed = links.cards_failed;
  }
  return slow;
}

void take_slow_stages(const StepPlan& slow, const LinkState& links,
                      const std::vector<LinkState>& by_stage, StepPlan& plan) {
  const auto is_slow = [&](std::size_t a, std::size_t b) {
    return worse(by_stage[a], by_stage[b]) == links;
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
