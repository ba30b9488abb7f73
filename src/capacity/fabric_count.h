// SPDX-License-Identifier: Apache-2.0
//
// Switches and links of the network between hosts, by its design.
//
// A switch of k ports gives its hosts k/2 of them and the tier above as many; with an
// oversubscription of o to 1, k·o/(o + 1) and the rest. Letters: H hosts, R ports of a host (its
// rails), d ports down and u = k − d ports up of a leaf, L leaves.
//
//   fat tree        L = ⌈H·R/d⌉; a single switch where k holds all ports
//   rail-optimised  L = R·⌈H/d⌉: a leaf serves one rail
//   rail-only       R networks of their own, each a fat tree of H ports (arXiv:2307.12169)
//   two tiers       spines: the least s ≥ L·u/k that divides u, so that a leaf has as many links to
//                   each spine; possible where L ≤ k
//   three tiers     spines ⌈L·u/(k/2)⌉, cores ⌈spines·(k/2)/k⌉; at most k³/4 ports where o = 1
//
// Planes: each port of a host is split into so many networks of their own. The published counts of
// NVIDIA's DGX SuperPOD (B200, B300 in two planes, B300 with XDR: docs.nvidia.com/dgx-superpod) are
// the tests.
//
// Leaves out: ports for managers of the fabric and for storage, leaves that a site leaves partly
// empty for growth, dragonflies. Errors: none; `fits` is false where three tiers do not reach.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class FabricTopology : std::uint8_t { rail_optimised, fat_tree, rail_only };
constexpr EnumNames<FabricTopology> names_of(FabricTopology) {
  return {"rail-optimised", "fat-tree", "rail-only"};
}

struct FabricShape {
  FabricTopology topology = FabricTopology::rail_optimised;
  std::int64_t planes = 1;
  double oversubscription = 1;  // ports down over ports up of a leaf
};

struct HostPorts {
  std::int64_t hosts = 0;
  std::int64_t ports = 0;  // of one host
};

// `links` join ports of one rate; a port of a host that is split into planes has several.
struct FabricCount {
  bool fits = true;
  std::int64_t leaves = 0;
  std::int64_t spines = 0;
  std::int64_t cores = 0;
  std::int64_t host_links = 0;
  std::int64_t leaf_links = 0;  // from leaves to spines
  std::int64_t core_links = 0;
};

constexpr std::int64_t switches_of(const FabricCount& c) { return c.leaves + c.spines + c.cores; }
constexpr std::int64_t links_of(const FabricCount& c) {
  return c.host_links + c.leaf_links + c.core_links;
}

// `switch_ports`: k, at the rate of a plane's port.
FabricCount count_fabric(const HostPorts& h, std::int64_t switch_ports, const FabricShape& shape);

}  // namespace orrery
