// SPDX-License-Identifier: Apache-2.0
#include "insight/collective_curve.h"

#include <string>

#include "core/error.h"
#include "network/bus_factor.h"
#include "network/collective_cost.h"
#include "network/group_across.h"

namespace orrery {
namespace {

// The group; of a point-to-point a pair in every tier its ranks use, the widest first.
std::vector<Group> groups_of(const CollectiveQuestion& q) {
  const Cluster& c = q.cluster.cluster;
  Group whole = group_across(c, q.ranks_per_node, q.groups);
  whole.busiest_rank = q.busiest_rank;
  if (q.kind != Collective::point_to_point || whole.ranks < 2) return {whole};
  std::vector<Group> pairs;
  for (const std::size_t tier : tiers_across(c, whole)) {
    pairs.insert(pairs.begin(), pair_across(c, q.ranks_per_node, q.groups, tier));
  }
  return pairs;
}

std::vector<std::string> algorithms_for(const CollectiveQuestion& q, const Group& g) {
  std::vector<std::string> names;
  for (const Algorithm a : kAllOf<Algorithm>) {
    if (applies(a, q.cluster.cluster, g, q.kind)) names.emplace_back(name_of(a));
  }
  return names;
}

void check_ranks(const CollectiveQuestion& q) {
  const std::int64_t most = most_ranks_per_node(q.cluster.cluster);
  if (q.ranks_per_node > most) {
    throw InputError("command line", "--ranks-per-node", std::to_string(q.ranks_per_node),
                     "at most the " + std::to_string(most) + " GPUs of a node");
  }
  if (q.groups * q.ranks_per_node > most) {
    throw InputError("command line", "--groups",
                     std::to_string(q.groups) + " groups of " + std::to_string(q.ranks_per_node) +
                         " ranks a node",
                     "at most the " + std::to_string(most) + " GPUs of a node together");
  }
}

void check_busiest(const CollectiveQuestion& q) {
  if (!(q.busiest_rank >= 1)) {  // what is no number is not below 1 either
    throw InputError("command line", "--busiest-rank", "no number from 1", "1 to the ranks");
  }
  if (q.busiest_rank == 1) return;
  if (q.kind != Collective::all_to_all) {
    throw InputError("command line", "--busiest-rank", "it for " + std::string(name_of(q.kind)),
                     "it for all-to-all only");
  }
  if (q.busiest_rank > static_cast<double>(ranks_of(q))) {
    throw InputError("command line", "--busiest-rank", "more than the ranks",
                     "at most " + std::to_string(ranks_of(q)) + ": one rank sends everything");
  }
}

void check_algorithm(const CollectiveQuestion& q, const Group& g) {
  if (!q.algorithm || g.ranks < 2 || applies(*q.algorithm, q.cluster.cluster, g, q.kind)) return;
  throw InputError("command line", "--algorithm",
                   "\"" + std::string(name_of(*q.algorithm)) + "\" for " +
                       std::string(name_of(q.kind)) + " on these links",
                   alternatives(algorithms_for(q, g)));
}

// Nothing moves where nothing takes time.
BytesPerSecond rate(Bytes size, Seconds time) {
  return time > Seconds() ? size / time : BytesPerSecond();
}

CollectivePoint point(const CollectiveQuestion& q, const Group& g, Bytes size) {
  const Cluster& c = q.cluster.cluster;
  const auto cost = q.algorithm ? collective_cost_by(*q.algorithm, c, g, q.kind, size)
                                : collective_cost(c, g, q.kind, size);
  const BytesPerSecond algbw = rate(size, cost.time);
  Cluster all = c;
  all.library = CollectiveLibrary::any;
  const auto fastest = collective_cost(all, g, q.kind, size);
  const bool moves = cost.time > Seconds();
  return {size,
          cost.time,
          algbw,
          algbw * bus_factor(q.kind, g.ranks),
          moves ? cost.algorithm : Algorithm::none,
          cost.tier,
          fastest.algorithm,
          fastest.time};
}

// All neighbours send at once: the slowest pair counts.
CollectivePoint slowest_point(const CollectiveQuestion& q, const std::vector<Group>& groups,
                              Bytes size) {
  CollectivePoint slowest = point(q, groups.front(), size);
  for (const Group& g : groups) {
    const CollectivePoint p = point(q, g, size);
    if (p.time > slowest.time) slowest = p;
  }
  return slowest;
}

}  // namespace

std::int64_t ranks_of(const CollectiveQuestion& q) {
  return group_across(q.cluster.cluster, q.ranks_per_node, q.groups).ranks;
}

std::vector<CollectivePoint> collective_curve(const CollectiveQuestion& q) {
  check_ranks(q);
  check_busiest(q);
  const std::vector<Group> groups = groups_of(q);
  check_algorithm(q, groups.front());
  std::vector<CollectivePoint> points;
  for (const Bytes size : q.sizes) points.push_back(slowest_point(q, groups, size));
  return points;
}

}  // namespace orrery
