// SPDX-License-Identifier: Apache-2.0
#include "insight/neighbours.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "estimate/run.h"
#include "hardware/cluster_links.h"
#include "parallel/placement_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

void scale(Tier& t, double part) {
  t.bandwidth = t.bandwidth * part;
  for (std::size_t i = 0; i < t.group_sizes; ++i) {
    t.group_bandwidth[i].bandwidth = t.group_bandwidth[i].bandwidth * part;
  }
}

// An uplink is shared, not the node's own cards: a rank fills as much as before.
void share_uplink(Tier& t, double part) {
  scale(t, part);
  t.rank_share = std::min(1.0, t.rank_share / part);
}

const Tier& uplink_of(const Cluster& c) { return c.tiers[c.tier_count - 1U]; }
const Tier& leaf_of(const Cluster& c) { return c.tiers[c.tier_count - 2U]; }

using NodesOfPods = std::map<std::int64_t, std::int64_t>;

NodesOfPods nodes_of_pods(const Cluster& c, const FabricPods& pods) {
  NodesOfPods all;
  for (const std::int64_t node : nodes_used(c)) ++all[node / pods.of_pod];
  return all;
}

// The part of an uplink with which the tier gives a node what is left of it in the fullest pod: its
// pace is that of the slowest pod.
double part_of_uplink(const Cluster& c, const NodesOfPods& own, const NodesOfPods& other) {
  const double uplink = uplink_of(c).bandwidth.si();
  const double node = leaf_of(c).bandwidth.si();
  double alone = node;
  double both = node;
  double most = 0;
  for (const auto& [pod, count] : own) {
    const auto n = static_cast<double>(count);
    const auto beside = other.find(pod);
    const double m = beside == other.end() ? 0 : static_cast<double>(beside->second);
    alone = std::min(alone, uplink / n);
    both = std::min(both, uplink / (n + m));
    most = std::max(most, n);
  }
  return both < alone ? std::min(1.0, both * most / uplink) : 1;
}

bool is_placed(const Cluster& c) { return c.listed_devices != nullptr; }

std::string fabric_words(const Cluster& c) {
  const std::optional<FabricPods> pods = pods_of(c);
  if (!pods) return "no pods of nodes";
  return std::to_string(pods->nodes) + " nodes in pods of " + std::to_string(pods->of_pod);
}

void check_one_fabric(const Cluster& own, const Cluster& other) {
  if (pods_of(own) == pods_of(other)) return;
  throw InputError("command line", "--beside", "a job on " + fabric_words(other),
                   "the fabric of this run: " + fabric_words(own));
}

const Json& placement_of(const ResolvedRun& r) {
  return value_at(*r.inputs, key_path<&StrategyRequest::placement>);
}

Seconds step_with(const SharedTraffic& own, Seconds delay) {
  if (!(own.busy > Seconds())) return own.step;
  return own.step + (own.halved - own.step) * (delay / own.busy);
}

}  // namespace

LinkParts link_parts(const Cluster& own, const Cluster& other) {
  const std::optional<FabricPods> pods = pods_of(own);
  if (!pods || (!is_placed(own) && !is_placed(other))) return {};
  const NodesOfPods mine = nodes_of_pods(own, *pods);
  const NodesOfPods others = nodes_of_pods(other, *pods);
  const auto shared = std::count_if(mine.begin(), mine.end(),
                                    [&](const auto& pod) { return others.contains(pod.first); });
  return {part_of_uplink(own, mine, others), part_of_uplink(other, others, mine), shared};
}

std::optional<std::vector<std::int64_t>> nodes_beside(const ResolvedRun& own,
                                                      const ResolvedRun& other) {
  const Cluster& c = own.run.cluster;
  const Cluster& beside = other.run.cluster;
  if (!is_placed(c) && !is_placed(beside)) return {};
  check_one_fabric(c, beside);
  const std::optional<FabricPods> pods = pods_of(c);
  if (!pods) return {};
  const Json& given = placement_of(other);
  const std::optional<PolicyChoice> choice = read_policy(Reader(given, other.file));
  if (!given.is_null() && !choice) return {};
  const std::vector<std::int64_t> taken = nodes_used(c);
  const std::int64_t wanted = node_count(beside);
  std::vector<std::int64_t> nodes =
      nodes_by_policy(choice.value_or(PolicyChoice{}), wanted, *pods, taken);
  if (static_cast<std::int64_t>(nodes.size()) < wanted) {
    throw InputError("command line", "--beside", "a job of " + std::to_string(wanted) + " nodes",
                     "the " + std::to_string(nodes.size()) +
                         " that this run leaves free: more cluster.fabric.nodes");
  }
  return nodes;
}

SharedTraffic shared_traffic(const CommReport& r, double part, bool parts_uplinks) {
  const Run& run = r.run.resolved.run;
  const std::size_t outer = run.cluster.tier_count - 1U;
  SharedTraffic t;
  t.step = r.run.answer.step_time;
  t.tier = std::string(run.cluster.tiers[outer].name.view());
  for (const MessageClass& m : r.messages) {
    if (m.line.tier == outer) t.busy += m.line.time;
  }
  Run shared = run;
  Tier& links = shared.cluster.tiers[outer];
  parts_uplinks ? share_uplink(links, part) : scale(links, part);
  t.halved = part < 1 ? estimate(shared).step_time : t.step;
  return t;
}

TrafficDelay delay_beside(Seconds busy, Seconds period, Seconds other_busy) {
  if (!(busy > Seconds()) || !(other_busy > Seconds())) return {};
  constexpr double kBeyond = 0.05;
  const double c = busy.si();
  const double t = period.si();
  const double sends = std::min(other_busy.si(), t);
  const double whole = std::floor(c / t);
  const double rest = c - whole * t;
  const double least = std::max(0.0, rest + sends - t);
  const double most = std::min(rest, sends);
  const double flat = std::abs(rest - sends);  // phases of the most, as a time
  const double tail = std::max(least, most - std::max(0.0, kBeyond * t - flat) / 2);
  return {Seconds(c * sends / t), Seconds(whole * sends + tail), Seconds(whole * sends + most)};
}

StepsBeside steps_beside(const SharedTraffic& own, const SharedTraffic& other) {
  const TrafficDelay d = delay_beside(own.busy, other.step, other.busy);
  return {step_with(own, d.mean), step_with(own, d.at_95), step_with(own, d.worst)};
}

namespace {

constexpr double kMostOfLink = 0.5;
constexpr double kTwentieth = 0.05;

// Nodes that send through one link of the tier.
double nodes_of_link(const Cluster& c, std::size_t tier) {
  const std::int64_t below = tier == 0 ? 1 : c.tiers[tier - 1].size / c.devices_per_node;
  return static_cast<double>(std::clamp<std::int64_t>(below, 1, node_count(c)));
}

BytesPerSecond rate_of_write(const Cluster& c, const CheckpointCost& cost) {
  BytesPerSecond s = cost.per_node / cost.write;
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) != Links::of_network) continue;
    s = std::min(s, c.tiers[i].bandwidth * (kMostOfLink / nodes_of_link(c, i)));
  }
  return s;
}

// Takes the write from every tier; returns the least part that is left of one.
double take_write(Cluster& c, BytesPerSecond s) {
  double least = 1;
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) != Links::of_network) continue;
    Tier& t = c.tiers[i];
    const double left = 1 - nodes_of_link(c, i) * (s / t.bandwidth);
    t.bandwidth = t.bandwidth * left;
    for (std::size_t k = 0; k < t.group_sizes; ++k) {
      t.group_bandwidth[k].bandwidth = t.group_bandwidth[k].bandwidth * left;
    }
    least = std::min(least, left);
  }
  return least;
}

}  // namespace

WriteBeside step_beside_write(const RunReport& r, const Storage& storage, Seconds interval) {
  const Run& run = r.resolved.run;
  const CheckpointCost cost =
      checkpoint_cost(checkpoint_bytes(run, 0), storage, CheckpointMode::asynchronous, run.cluster);
  WriteBeside w;
  w.per_node = cost.per_node;
  w.interval = interval;
  w.alone = r.answer.step_time;
  w.rate = rate_of_write(run.cluster, cost);
  w.write = std::min(interval, cost.per_node / w.rate);
  Run beside = run;
  w.link_part = take_write(beside.cluster, w.rate);
  w.during = estimate(beside).step_time;
  const double steps = (interval - w.write) / w.alone + w.write / w.during;
  w.mean = interval / steps;
  const bool holds_all = w.write < w.during;
  w.worst = holds_all ? w.alone + (w.during - w.alone) * (w.write / w.during) : w.during;
  const double slow = holds_all ? 1.0 : w.write / w.during;
  w.at_95 = slow >= kTwentieth * steps ? w.worst : w.alone;
  return w;
}

}  // namespace orrery
