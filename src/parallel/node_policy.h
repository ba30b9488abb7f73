// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a fabric that a job gets, by the policy of a scheduler.
//
//   packed        the first free nodes
//   rail-aligned  pods of its own, from their beginning, where the nodes of a pod share the leaf
//                 switch of each rail; then the first free nodes
//   spread        a node of each pod in turn
//   random        any free nodes, by a seed
//
// Ranks fill the nodes in the order of their numbers, as schedulers list them. Leaves out nodes
// that fail, and jobs that come and go. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

enum class NodePolicy : std::uint8_t { packed, rail_aligned, spread, random };
constexpr EnumNames<NodePolicy> names_of(NodePolicy) {
  return {"packed", "rail-aligned", "spread", "random"};
}

struct PolicyChoice {
  NodePolicy policy = NodePolicy::packed;
  std::uint64_t seed = 1;  // of random
};

// Nodes of a fabric under its switches.
struct FabricPods {
  std::int64_t nodes = 0;
  std::int64_t of_pod = 1;

  bool operator==(const FabricPods&) const = default;
};

// `wanted` nodes that are not among `taken`, rising; fewer where fewer are free.
std::vector<std::int64_t> nodes_by_policy(const PolicyChoice& choice, std::int64_t wanted,
                                          const FabricPods& fabric,
                                          const std::vector<std::int64_t>& taken = {});

}  // namespace orrery
