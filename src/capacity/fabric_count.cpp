// SPDX-License-Identifier: Apache-2.0
#include "capacity/fabric_count.h"

#include <cmath>

#include "core/divide.h"

namespace orrery {
namespace {

struct LeafPorts {
  std::int64_t down = 0;
  std::int64_t up = 0;
};

LeafPorts leaf_ports(std::int64_t k, double oversubscription) {
  const double down = static_cast<double>(k) * oversubscription / (oversubscription + 1);
  const auto whole = static_cast<std::int64_t>(std::floor(down + 1e-9));
  return {whole, k - whole};
}

// The tiers above `leaves`.
FabricCount above(std::int64_t leaves, std::int64_t k, std::int64_t up) {
  FabricCount c;
  c.leaves = leaves;
  c.leaf_links = leaves * up;
  if (leaves <= k) {
    c.spines = divided_up(c.leaf_links, k);
    while (up % c.spines != 0) ++c.spines;
    return c;
  }
  const std::int64_t half = k / 2;
  c.spines = divided_up(c.leaf_links, half);
  c.core_links = c.spines * half;
  c.cores = divided_up(c.core_links, k);
  // A spine reaches each of its leaves, a core each group of half·k leaves.
  c.fits = leaves <= k * half;
  return c;
}

FabricCount fat_tree(std::int64_t ports, std::int64_t k, LeafPorts leaf) {
  if (ports <= k) return {true, 1, 0, 0, 0, 0, 0};
  return above(divided_up(ports, leaf.down), k, leaf.up);
}

FabricCount times(FabricCount c, std::int64_t n) {
  for (std::int64_t* x :
       {&c.leaves, &c.spines, &c.cores, &c.host_links, &c.leaf_links, &c.core_links}) {
    *x *= n;
  }
  return c;
}

FabricCount of_plane(const HostPorts& h, std::int64_t k, const FabricShape& shape) {
  const LeafPorts leaf = leaf_ports(k, shape.oversubscription);
  if (leaf.down < 1 || leaf.up < 1) return {false, 0, 0, 0, 0, 0, 0};
  switch (shape.topology) {
    case FabricTopology::fat_tree:
      return fat_tree(h.hosts * h.ports, k, leaf);
    case FabricTopology::rail_optimised:
      return above(h.ports * divided_up(h.hosts, leaf.down), k, leaf.up);
    case FabricTopology::rail_only:
      return times(fat_tree(h.hosts, k, leaf), h.ports);
  }
  return {};
}

}  // namespace

FabricCount count_fabric(const HostPorts& h, std::int64_t switch_ports, const FabricShape& shape) {
  FabricCount plane = of_plane(h, switch_ports, shape);
  plane.host_links = h.hosts * h.ports;
  return times(plane, shape.planes);
}

}  // namespace orrery
