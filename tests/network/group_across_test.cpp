// SPDX-License-Identifier: Apache-2.0
// The groups of a collective benchmark, counted by hand.
#include "network/group_across.h"

#include <doctest/doctest.h>

#include <utility>

#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

// Nodes of two sockets with four GPUs each, in racks of four nodes.
Cluster sockets(std::int64_t gpus) {
  Cluster c = racks();
  c.tier_count = 4;
  for (std::size_t i = 3; i > 0; --i) c.tiers[i] = c.tiers[i - 1];
  c.tiers[0] = tier_of(TierKind::socket, 4, 100e9, 1, 5);
  c.gpus = gpus;
  return c;
}

Pair filled(std::int64_t gpus, std::int64_t ranks_per_node) {
  const NodesFilled n = nodes_filled(sockets(gpus), ranks_per_node);
  return {n.full, n.rest};
}

}  // namespace

TEST_CASE("a node gives at most its GPUs, or those that the cluster has") {
  CHECK(most_ranks_per_node(sockets(64)) == 8);
  CHECK(most_ranks_per_node(sockets(8)) == 8);
  CHECK(most_ranks_per_node(sockets(3)) == 3);
}

TEST_CASE("the last node is full if it has as many GPUs as ranks are asked for") {
  CHECK(filled(16, 8) == Pair(2, 0));
  CHECK(filled(20, 8) == Pair(2, 4));
  CHECK(filled(20, 4) == Pair(3, 0));
  CHECK(filled(20, 2) == Pair(3, 0));
  CHECK(filled(20, 6) == Pair(2, 4));
  CHECK(filled(3, 3) == Pair(1, 0));
  CHECK(filled(3, 8) == Pair(0, 3));
}

TEST_CASE("a group across has its ranks in every unit it meets") {
  const Group g = group_across(sockets(64), 6, 1);
  CHECK(g.ranks == 48);
  CHECK(g.members[0] == 4);   // a socket
  CHECK(g.members[1] == 6);   // a node
  CHECK(g.members[2] == 24);  // a rack
  CHECK(g.members[3] == 48);
  CHECK(g.members[5] == 48);
  for (std::size_t i = 0; i < 4; ++i) CHECK(g.sharers[i] == 1);
  // A node with part of its GPUs: no unit holds more than the group has.
  const Group small = group_across(sockets(20), 8, 1);
  CHECK(small.ranks == 20);
  CHECK(small.members[1] == 8);
  CHECK(small.members[2] == 20);
}

TEST_CASE("groups side by side share the links out of a node, and those in it that they reach") {
  const Group g = group_across(sockets(64), 1, 8);
  CHECK(g.ranks == 8);
  CHECK(g.members[0] == 1);
  CHECK(g.members[1] == 1);
  CHECK(g.members[2] == 4);
  CHECK(g.sharers[0] == 1);
  CHECK(g.sharers[1] == 4);  // of a socket's link, the groups with a rank in it
  CHECK(g.sharers[2] == 8);
  CHECK(g.sharers[3] == 8);
  const Group wide = group_across(sockets(64), 2, 3);
  CHECK(wide.sharers[1] == 2);  // two ranks of each on one socket of four
  CHECK(wide.sharers[2] == 3);
}

TEST_CASE("neighbours meet in every tier that the group uses") {
  const auto tiers = [](const Cluster& c, std::int64_t per_node) {
    return tiers_across(c, group_across(c, per_node, 1));
  };
  using Tiers = std::vector<std::size_t>;
  CHECK(tiers(sockets(64), 8) == Tiers{0, 1, 2, 3});
  CHECK(tiers(sockets(64), 1) == Tiers{2, 3});
  CHECK(tiers(sockets(32), 4) == Tiers{0, 2});
  CHECK(tiers(sockets(8), 8) == Tiers{0, 1});
  CHECK(tiers(sockets(2), 2) == Tiers{0});
  CHECK(tiers(sockets(1), 1).empty());
}

TEST_CASE("a pair across meets in its tier and nowhere before") {
  const Group pair = pair_across(sockets(64), 1, 8, 2);
  CHECK(pair.ranks == 2);
  CHECK(pair.members[0] == 1);
  CHECK(pair.members[1] == 1);
  for (std::size_t i = 2; i < kMaxTiers; ++i) CHECK(pair.members[i] == 2);
  CHECK(pair.sharers[2] == 8);
  CHECK(pair_across(sockets(64), 8, 1, 0).members[0] == 2);
}
