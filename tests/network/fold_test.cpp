// SPDX-License-Identifier: Apache-2.0
// How a group lies over the tiers of a cluster, counted by hand.
#include "network/fold.h"

#include <doctest/doctest.h>

#include <utility>

#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// Nodes of eight in racks of four.
Fold fold_of(std::int64_t ranks) {
  const Cluster c = racks();
  return fold(c, side_by_side(c, ranks), ranks);
}

}  // namespace

TEST_CASE("a group without ranks elsewhere is one rank alone") {
  const Group g;
  CHECK(g.ranks == 1);
  for (std::size_t i = 0; i < kMaxTiers; ++i) {
    CHECK(g.members[i] == 1);
    CHECK(g.sharers[i] == 1);
  }
  CHECK(g.busiest_rank == 1);
  CHECK(g.fabric_share == 1);
}

TEST_CASE("units count the children of each tier that hold a rank") {
  CHECK(fold_of(8).outermost == 0);
  CHECK(fold_of(8).units[0] == 8);
  CHECK(fold_of(8).units[1] == 1);
  CHECK(fold_of(9).outermost == 1);
  CHECK(fold_of(9).units[1] == 2);
  CHECK(fold_of(32).outermost == 1);
  CHECK(fold_of(32).units[1] == 4);
  CHECK(fold_of(32).units[2] == 1);
  // Fifty ranks: seven nodes, two of them in the second rack whole and one in part.
  CHECK(fold_of(50).outermost == 2);
  CHECK(fold_of(50).ranks == 50);
  CHECK(fold_of(50).units[1] == 7);
  CHECK(fold_of(50).units[2] == 2);
  CHECK(fold_of(50).units[3] == 1);
}

TEST_CASE("a walk over all ranks makes one hop less than there are ranks") {
  for (std::int64_t n = 2; n <= 300; ++n) {
    const Fold f = fold_of(n);
    std::int64_t all = 0;
    for (std::size_t i = 0; i <= f.outermost; ++i) all += hops(f, i);
    CAPTURE(n);
    CHECK(all == n - 1);
    CHECK(uses(f, f.outermost));
  }
  const Fold f = fold_of(50);
  CHECK(hops(f, 0) == 43);
  CHECK(hops(f, 1) == 5);
  CHECK(hops(f, 2) == 1);
}

TEST_CASE("a group with a rank a node does not use the links inside nodes") {
  const Cluster c = racks();
  Group g = side_by_side(c, 8);
  g.members = {1, 4, 8, 8, 8, 8};
  const Fold f = fold(c, g, 8);
  CHECK(f.outermost == 2);
  CHECK_FALSE(uses(f, 0));
  CHECK(hops(f, 1) == 6);
  CHECK(hops(f, 2) == 1);
  CHECK(first_fabric(c, f) == 1);
  CHECK_FALSE(on_the_way(c, f, 0));
}

TEST_CASE("a fold of some of the group's ranks ends where they do") {
  const Cluster c = racks();
  const Fold node = fold(c, side_by_side(c, 100), 8);
  CHECK(node.ranks == 8);
  CHECK(node.outermost == 0);
  CHECK(node.units[0] == 8);
  CHECK(node.units[1] == 1);
}

TEST_CASE("units that ranks fill are rounded up") {
  CHECK(units_filled(16, 8) == 2);
  CHECK(units_filled(17, 8) == 3);
  CHECK(units_filled(1, 8) == 1);
  CHECK(units_filled(5, 1) == 5);
  CHECK(units_filled(5, 2) == 3);
}

TEST_CASE("children are the units below that take part") {
  const Cluster c = racks();
  const Group g = side_by_side(c, 50);
  CHECK(members_below(g, 0) == 1);
  CHECK(members_below(g, 1) == 8);
  CHECK(members_below(g, 2) == 32);
  CHECK(children(g, 0) == 8);
  CHECK(children(g, 1) == 4);
  CHECK(children(g, 2) == 2);
  CHECK(children(side_by_side(c, 20), 1) == 3);
}

TEST_CASE("siblings in a block are those of the whole that it is part of") {
  const Cluster c = two_quads();
  const Group g = side_by_side(c, 8);
  CHECK(siblings(c, g, 0) == 8);
  CHECK(siblings(c, g, 1) == 2);
  const Cluster plain = racks();
  CHECK(siblings(plain, side_by_side(plain, 50), 0) == 8);
  CHECK(siblings(plain, side_by_side(plain, 50), 1) == 4);
}

TEST_CASE("a group is even in a tier if all of its units and children are full") {
  const Cluster c = racks();
  const auto even = [&](std::int64_t ranks, std::size_t i) {
    const Group g = side_by_side(c, ranks);
    return is_even(g, fold(c, g, ranks), i);
  };
  CHECK(even(8, 0));
  CHECK(even(16, 0));
  CHECK(even(16, 1));
  CHECK(even(64, 2));
  CHECK_FALSE(even(17, 0));  // one rank alone on its node
  CHECK_FALSE(even(17, 1));
  CHECK(even(40, 0));
  CHECK_FALSE(even(40, 1));  // one node alone in its rack
  CHECK_FALSE(even(40, 2));
}

TEST_CASE("the last child has the ranks that are left and their siblings") {
  const Cluster c = racks();
  const auto last = [&](std::int64_t ranks, std::size_t i) {
    const Group g = side_by_side(c, ranks);
    const Fold f = fold(c, g, ranks);
    return std::pair(last_child(c, g, f, i).ranks, last_siblings(c, g, f, i));
  };
  CHECK(last(18, 0) == std::pair<std::int64_t, std::int64_t>(1, 2));  // two on the last node
  CHECK(last(18, 1) == std::pair<std::int64_t, std::int64_t>(2, 3));  // of three nodes
  CHECK(last(17, 0) == std::pair<std::int64_t, std::int64_t>(1, 8));  // alone: it sends to others
  CHECK(last(16, 1) == std::pair<std::int64_t, std::int64_t>(8, 2));
  CHECK(last(50, 1) == std::pair<std::int64_t, std::int64_t>(2, 3));  // three nodes in rack two
  CHECK(last(50, 2) == std::pair<std::int64_t, std::int64_t>(18, 2));
  CHECK(last(40, 1) == std::pair<std::int64_t, std::int64_t>(8, 4));  // one node: to other racks
}

TEST_CASE("the link of a child is as fast as its siblings let it be") {
  const Cluster c = two_quads();
  const auto lines = [&](std::int64_t ranks) {
    const Group g = side_by_side(c, ranks);
    const Fold f = fold(c, g, ranks);
    return std::pair<double, double>(full_child(c, g, 0).line / BytesPerSecond(1e9),
                                     last_child(c, g, f, 0).line / BytesPerSecond(1e9));
  };
  CHECK(lines(4) == std::pair(100.0, 100.0));
  CHECK(lines(6) == std::pair(125.0, 125.0));  // halfway from four to eight
  CHECK(lines(8) == std::pair(150.0, 150.0));
  const Cluster plain = racks();
  const Group g = side_by_side(plain, 18);
  CHECK(full_child(plain, g, 1) == Child{8, BytesPerSecond(80e9)});
  CHECK(last_child(plain, g, fold(plain, g, 18), 1) == Child{2, BytesPerSecond(80e9)});
}

TEST_CASE("the last child of a mesh has the rate of those that are with it") {
  Cluster c = round_cluster();
  c.tiers[0].group_sizes = 2;
  c.tiers[0].group_bandwidth[0] = {2, BytesPerSecond(20e9)};
  c.tiers[0].group_bandwidth[1] = {8, BytesPerSecond(100e9)};
  const Group g = side_by_side(c, 10);
  CHECK(full_child(c, g, 0) == Child{1, BytesPerSecond(100e9)});
  CHECK(last_child(c, g, fold(c, g, 10), 0) == Child{1, BytesPerSecond(20e9)});
}

TEST_CASE("messages pass cards and the links of blocks on their way out, no switch of a node") {
  const Cluster c = racks();
  CHECK_FALSE(passed(c, 0));
  CHECK(passed(c, 1));
  CHECK(passed(c, 2));
  CHECK(passed(two_quads(), 0));
  CHECK_FALSE(passed(two_quads(), 1));
  // A rank in each of four racks.
  Group g = side_by_side(c, 4);
  g.members = {1, 1, 4, 4, 4, 4};
  const Fold f = fold(c, g, 4);
  CHECK_FALSE(on_the_way(c, f, 0));
  CHECK(on_the_way(c, f, 1));
  CHECK(on_the_way(c, f, 2));
  CHECK(first_fabric(c, f) == 2);
  // Inside a node nothing farther out is on the way.
  CHECK(on_the_way(c, fold_of(8), 0));
  CHECK_FALSE(on_the_way(c, fold_of(8), 1));
}

TEST_CASE("the first fabric is the innermost tier of cards that the group uses") {
  const Cluster c = racks();
  CHECK(first_fabric(c, fold_of(64)) == 1);
  CHECK(first_fabric(c, fold_of(9)) == 1);
  CHECK(first_fabric(c, fold_of(8)) == 1);  // none: behind the outermost
  CHECK(fold_of(8).outermost == 0);
  const Group g = side_by_side(two_quads(), 8);
  CHECK(first_fabric(two_quads(), fold(two_quads(), g, 8)) == 2);
}
