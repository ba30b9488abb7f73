// SPDX-License-Identifier: Apache-2.0
// What must hold of collectives holds on every node that ships, over many of them.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "network/collective_cost.h"
#include "network/cut_bound.h"
#include "network/group_across.h"
#include "network/shipped_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::array<std::int64_t, 8> kNodes = {1, 2, 3, 4, 7, 64, 100, 1024};
constexpr std::array<double, 5> kSizes = {1, 1e4, 1e6, 1e8, 1e10};

std::vector<std::string> shipped_nodes() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(ORRERY_CONFIG_DIR "/hardware/nodes")) {
    names.push_back(entry.path().stem().string());
  }
  return names;
}

// The node alone, then more and more of it.
std::vector<Cluster> growing(const std::string& node) {
  const std::int64_t per_node = shipped_cluster(node, 1).devices_per_node;
  std::vector<Cluster> clusters;
  for (std::int64_t n : kNodes) clusters.push_back(shipped_cluster(node, n * per_node));
  return clusters;
}

void check_growing(const std::vector<Cluster>& clusters, std::int64_t ranks_per_node,
                   Collective kind, Bytes size) {
  Seconds before;
  for (const Cluster& c : clusters) {
    const Group g = group_across(c, ranks_per_node, 1);
    const Seconds time = collective_cost(c, g, kind, size).time;
    CAPTURE(g.ranks);
    CHECK(time >= cut_bound(c, g, kind, size) * (1 - 1e-12));
    CHECK(time >= before * (1 - 1e-12));
    CHECK((time > Seconds()) == (g.ranks > 1));
    before = time;
  }
}

}  // namespace

TEST_CASE("collectives over nodes that ship keep their bound and never fall with more nodes") {
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const std::vector<Cluster> clusters = growing(node);
    const std::int64_t most = most_ranks_per_node(clusters[0]);
    for (std::size_t k = 0; k < kCollectives; ++k) {
      const auto kind = static_cast<Collective>(k);
      if (kind == Collective::point_to_point) continue;  // two ranks, however many nodes there are
      CAPTURE(name_of(kind));
      for (double bytes : kSizes) {
        CAPTURE(bytes);
        for (std::int64_t ranks : {std::int64_t{1}, (most + 1) / 2, most}) {
          check_growing(clusters, ranks, kind, Bytes(bytes));
        }
      }
    }
  }
}

TEST_CASE("a group across nodes counts its ranks and who shares their links") {
  const Cluster c = shipped_cluster("frontier-mi250x", 64);
  const Group alone = group_across(c, 8, 1);
  CHECK(alone.ranks == 64);
  CHECK(alone.members[0] == 2);
  CHECK(alone.members[1] == 8);
  CHECK(alone.members[2] == 64);
  const Group thin = group_across(c, 1, 8);
  CHECK(thin.ranks == 8);
  CHECK(thin.members[1] == 1);
  CHECK(thin.sharers[1] == 2);
  CHECK(thin.sharers[2] == 8);
  const Group pair = pair_across(c, 8, 1);
  CHECK(pair.ranks == 2);
  CHECK(pair.members[1] == 1);
  CHECK(pair.members[2] == 2);
}

TEST_CASE("one rank of a node that ships fills at most its own card") {
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const Cluster c = shipped_cluster(node, 4 * shipped_cluster(node, 1).devices_per_node);
    const Tier& t = c.tiers[c.tier_count - 1U];
    CHECK(t.rank_share * t.bandwidth / BytesPerSecond(1e9) <= 100);
    CHECK(t.rank_share * static_cast<double>(c.devices_per_node) > 0.999);
  }
}
