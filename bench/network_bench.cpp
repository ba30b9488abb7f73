// SPDX-License-Identifier: Apache-2.0
// Nanoseconds of processor time a collective's cost takes, over groups of many shapes and sizes:
// even ones in a node and over nodes, groups whose last node is used in part, and nodes whose links
// are split into blocks. Aim: 50 ns.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "network/collective_cost.h"
#include "network/group_across.h"

using namespace orrery;

namespace {

Cluster two_tiers() {
  Cluster c;
  c.tier_count = 2;
  c.library = CollectiveLibrary::nccl;
  c.tiers[0].kind = TierKind::nvswitch;
  c.tiers[0].size = 8;
  c.tiers[0].bandwidth = BytesPerSecond(450e9);
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1;
  c.tiers[1].kind = TierKind::infiniband;
  c.tiers[1].size = 8 * 1024;
  c.tiers[1].bandwidth = BytesPerSecond(400e9);
  c.tiers[1].rank_share = 1.0 / 8;
  for (Tier& t : c.tiers) {
    t.latency = Seconds(5e-6);
    t.launch = Seconds(2e-5);
    t.ramp = Seconds(1e-5);
  }
  c.gpus = 8 * 1024;
  c.devices_per_node = 8;
  return c;
}

std::vector<Group> groups(std::int64_t fewest_nodes, std::int64_t most_nodes) {
  std::vector<Group> all;
  for (std::int64_t nodes = fewest_nodes; nodes <= most_nodes; nodes *= 2) {
    for (std::int64_t inside = 2; inside <= 8; inside *= 2) {
      Group g;
      g.ranks = nodes * inside;
      g.members.fill(g.ranks);
      g.members[0] = inside;
      g.sharers[1] = 8 / inside;
      all.push_back(g);
    }
  }
  return all;
}

// Quads inside the node, as a hybrid cube mesh has them.
Cluster with_blocks() {
  Cluster c = two_tiers();
  for (std::size_t j = c.tier_count; j > 0; --j) c.tiers[j] = c.tiers[j - 1];
  ++c.tier_count;
  c.tiers[0].size = 4;
  c.tiers[0].block = true;
  for (std::size_t i = 0; i < 2; ++i) {
    c.tiers[i].kind = TierKind::nvlink_mesh;
    c.tiers[i].in_network_reduction = false;
  }
  return c;
}

// All GPUs of some nodes and three of one more.
std::vector<Group> ragged(Cluster c) {
  std::vector<Group> all;
  for (std::int64_t nodes = 1; nodes <= 512; nodes *= 2) {
    c.gpus = nodes * c.devices_per_node + 3;
    all.push_back(group_across(c, c.devices_per_node, 1));
  }
  return all;
}

void measure(const std::string& what, const Cluster& c, Collective kind,
             const std::vector<Group>& shapes) {
  constexpr int kCalls = 4'000'000;
  double sum = 0;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kCalls; ++i) {
    const Group& g = shapes[static_cast<std::size_t>(i) % shapes.size()];
    sum += collective_cost(c, g, kind, Bytes(1e6 + i)).time.si();
  }
  const double ns = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9;
  std::printf("%-16s %-14s %6.1f ns  (sum %g s)\n", std::string(name_of(kind)).c_str(),
              what.c_str(), ns / kCalls, sum);
}

}  // namespace

int main() {
  for (const Collective kind : kAllOf<Collective>) {
    measure("in a node", two_tiers(), kind, groups(1, 1));
    measure("over nodes", two_tiers(), kind, groups(2, 1024));
    measure("ragged", two_tiers(), kind, ragged(two_tiers()));
    measure("ragged blocks", with_blocks(), kind, ragged(with_blocks()));
  }
  return 0;
}
