// SPDX-License-Identifier: Apache-2.0
#include "capacity/purchase.h"

#include <algorithm>

#include "capacity/training_time.h"
#include "estimate/estimate.h"
#include "estimate/run.h"
#include "hardware/cluster_links.h"
#include "parallel/partition.h"
#include "parallel/placement.h"

namespace orrery {
namespace {

constexpr int kHalvings = 40;
constexpr double kLeastNetwork = 1.0 / 1024;  // of what is there

// The value in [low, high] up to which `holds`, which is true at low and false
// above some point.
template <class Holds>
double most(double low, double high, Holds&& holds) {
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

// The longest stop of training for one checkpoint; written beside training, the interval.
Seconds time_for_one(const OutcomeInputs& in, const Outcome& o, Seconds& every) {
  every = o.goodput.interval;
  if (in.policy.mode != CheckpointMode::synchronous) return every;
  if (in.policy.interval > Seconds()) return every * (kStallAllowed / (1 - kStallAllowed));
  const auto interval = [&](double stall) {
    Recovery r = o.largest.recovery;
    r.stall = Seconds(stall);
    r.durable = r.stall;
    return optimal_interval(r, in.stretches[largest_checkpoint(in)].longest_step);
  };
  const double stall =
      most(0, kDay.si(), [&](double c) { return c <= kStallAllowed * (interval(c).si() + c); });
  every = interval(stall);
  return Seconds(stall);
}

void add_storage(const OutcomeInputs& in, const Outcome& o, PurchaseNeeds& n) {
  const bool known = in.policy.interval > Seconds() || o.largest.recovery.failures.si() > 0;
  if (!known) return;
  Seconds time = time_for_one(in, o, n.write_every);
  if (in.policy.mode == CheckpointMode::synchronous) {
    time -= in.policy.overhead;
    n.no_rate_will_do = in.policy.overhead > Seconds() && !(time > Seconds());
  }
  if (!(time > Seconds())) return;
  n.write = o.largest.checkpoint.size / time;
  const BytesPerSecond client = client_rate(in.storage, in.cluster);
  n.copy_stalls = in.policy.mode == CheckpointMode::synchronous && client.si() > 0 &&
                  o.largest.checkpoint.per_node / client > time;
}

Seconds step_with(const Run& run, double network) {
  Run moved = run;
  scale_links(moved.cluster, Links::of_network, network);
  return estimate(moved).step_time;
}

// The group of `ranks` that reduces gradients or gathers weights: all replicas, the nearest ones
// that share states, or one of each such group.
Group data_group(const Run& run, ShardedStates which, const Group& all, std::int64_t ranks) {
  if (ranks == all.ranks) return all;
  const Group near = shard_group(run.strategy, run.cluster, which, 1, ranks);
  const std::size_t node = tier_of(run.cluster, run.cluster.devices_per_node);
  if (near.members[node] < ranks) return near;
  return shard_group(run.strategy, run.cluster, which, all.ranks / ranks, all.ranks);
}

Group group_of(const Run& run, const CommLine<double>& line) {
  const Placement p = place(run.strategy, tier_sizes(run.cluster));
  switch (line.dimension) {
    case CommDimension::tp:
      return p.tp;
    case CommDimension::cp:
      return p.cp;
    case CommDimension::ep:
      return p.ep;
    case CommDimension::etp:
      return p.etp;
    case CommDimension::dp:
      return data_group(run, ShardedStates::dense, p.dp_cp, line.ranks);
    case CommDimension::edp:
      return data_group(run, ShardedStates::expert, p.edp, line.ranks);
    case CommDimension::pp:
    case CommDimension::embedding:
      break;
  }
  return {};
}

// The part of a rank's bytes on the wire that leaves its node. An all-to-all sends out what is for
// ranks elsewhere; a ring leaves a node once, however many of its ranks stand there.
double share_that_leaves(const Run& run, const CommLine<double>& line) {
  const Group g = group_of(run, line);
  const double inside =
      static_cast<double>(g.members[tier_of(run.cluster, run.cluster.devices_per_node)]);
  if (line.collective != Collective::all_to_all) return 1 / inside;
  return (static_cast<double>(g.ranks) - inside) / static_cast<double>(g.ranks - 1);
}

void add_network(const Run& run, PurchaseNeeds& n) {
  const Answer a = estimate(run);
  Bytes sent{};
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (links_of_tier(run.cluster, a.comm[i].tier) != Links::of_network) continue;
    sent += a.comm[i].bytes * share_that_leaves(run, a.comm[i]);
  }
  if (!(sent > Bytes())) return;
  n.has = network_rate(run.cluster);
  const std::int64_t devices = std::min(run.cluster.devices_per_node, run.cluster.gpus);
  n.sent = sent * static_cast<double>(devices) / a.step_time;
  const Seconds allowed = a.step_time * (1 + kSlowerAllowed);
  const double less =
      most(0, 1 - kLeastNetwork, [&](double gone) { return step_with(run, 1 - gone) <= allowed; });
  n.least = n.has * (1 - less);
}

}  // namespace

PurchaseNeeds purchase_needs(const OutcomeInputs& in, const Outcome& o, const Run& run) {
  PurchaseNeeds n;
  add_storage(in, o, n);
  add_network(run, n);
  return n;
}

}  // namespace orrery
