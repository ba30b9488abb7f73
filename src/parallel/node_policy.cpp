// SPDX-License-Identifier: Apache-2.0
#include "parallel/node_policy.h"

#include <algorithm>
#include <utility>

#include "core/random.h"

namespace orrery {
namespace {

using Nodes = std::vector<std::int64_t>;

Nodes free_nodes(const FabricPods& fabric, const Nodes& taken) {
  std::vector<bool> is_taken(static_cast<std::size_t>(fabric.nodes));
  for (const std::int64_t n : taken) is_taken[static_cast<std::size_t>(n)] = true;
  Nodes all;
  for (std::int64_t n = 0; n < fabric.nodes; ++n) {
    if (!is_taken[static_cast<std::size_t>(n)]) all.push_back(n);
  }
  return all;
}

std::vector<Nodes> by_pod(const Nodes& free, const FabricPods& fabric) {
  std::vector<Nodes> pods(static_cast<std::size_t>((fabric.nodes - 1) / fabric.of_pod + 1));
  for (const std::int64_t n : free) pods[static_cast<std::size_t>(n / fabric.of_pod)].push_back(n);
  return pods;
}

// Nodes of whole pods first.
Nodes whole_pods_first(const Nodes& free, const FabricPods& fabric) {
  std::vector<Nodes> pods = by_pod(free, fabric);
  std::stable_partition(pods.begin(), pods.end(), [&](const Nodes& pod) {
    return static_cast<std::int64_t>(pod.size()) == fabric.of_pod;
  });
  Nodes all;
  for (const Nodes& pod : pods) all.insert(all.end(), pod.begin(), pod.end());
  return all;
}

Nodes in_turns(const Nodes& free, const FabricPods& fabric) {
  const std::vector<Nodes> pods = by_pod(free, fabric);
  Nodes all;
  for (std::size_t turn = 0; all.size() < free.size(); ++turn) {
    for (const Nodes& pod : pods) {
      if (turn < pod.size()) all.push_back(pod[turn]);
    }
  }
  return all;
}

// Fisher and Yates.
Nodes shuffled(Nodes nodes, std::uint64_t seed) {
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const double left = static_cast<double>(nodes.size() - i);
    std::swap(nodes[i], nodes[i + static_cast<std::size_t>(uniform_number(seed, i, 0) * left)]);
  }
  return nodes;
}

Nodes in_order_of(const PolicyChoice& choice, const Nodes& free, const FabricPods& fabric) {
  switch (choice.policy) {
    case NodePolicy::packed:
      return free;
    case NodePolicy::rail_aligned:
      return whole_pods_first(free, fabric);
    case NodePolicy::spread:
      return in_turns(free, fabric);
    case NodePolicy::random:
      return shuffled(free, choice.seed);
  }
  return free;
}

}  // namespace

std::vector<std::int64_t> nodes_by_policy(const PolicyChoice& choice, std::int64_t wanted,
                                          const FabricPods& fabric,
                                          const std::vector<std::int64_t>& taken) {
  Nodes nodes = in_order_of(choice, free_nodes(fabric, taken), fabric);
  nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(wanted)));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace orrery
