// SPDX-License-Identifier: Apache-2.0
// Reductions in switches, over trees and in phases, where nodes have several tiers or are used in
// part.
#include <doctest/doctest.h>

#include <cmath>

#include "network/bus_factor.h"
#include "network/in_switch.h"
#include "network/recursive.h"
#include "network/round_cluster.h"
#include "network/tree.h"
#include "network/volume.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// Both tiers add, at 1.25 and 0.8 of a ring's bus bandwidth, in 3 and 7 us.
Cluster sharp() {
  Cluster c = round_cluster();
  for (std::size_t i = 0; i < 2; ++i) c.tiers[i].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1.25;
  c.tiers[1].reduction_efficiency = 0.8;
  c.tiers[0].reduction_latency = Seconds(3 * kUs);
  c.tiers[1].reduction_latency = Seconds(7 * kUs);
  return c;
}

// launch + (√latency + √wire)², in us: a pipeline filled with the best number of chunks.
doctest::Approx filled(double launch, double latency, double wire) {
  return near(launch + latency + wire + 2 * std::sqrt(latency * wire));
}

double us(Algorithm a, const Cluster& c, const Group& g, Collective kind = Collective::all_reduce,
          double bytes = 8e6) {
  return us_by(a, c, g, kind, bytes);
}

}  // namespace

TEST_CASE("busbw counts the bytes that cross a link, as nccl-tests has them") {
  CHECK(bus_factor(Collective::all_reduce, 8) == 2 * 7.0 / 8);
  CHECK(bus_factor(Collective::all_gather, 8) == 7.0 / 8);
  CHECK(bus_factor(Collective::reduce_scatter, 8) == 7.0 / 8);
  CHECK(bus_factor(Collective::all_to_all, 8) == 7.0 / 8);
  CHECK(bus_factor(Collective::point_to_point, 2) == 1);
  CHECK(bus_factor(Collective::broadcast, 8) == 1);
  CHECK(bus_factor(Collective::reduce, 8) == 1);
}

TEST_CASE("a rank sends all but its own part, twice where it adds and gathers") {
  CHECK(others_part<double>(Bytes(8), 8) == Bytes(7));
  for (const Collective kind :
       {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all,
        Collective::broadcast, Collective::reduce}) {
    CHECK(bytes_on_wire<double>(kind, 8, Bytes(8)) == Bytes(7));
    CHECK(bytes_sent<double>(Algorithm::in_switch, kind, 8, Bytes(8)) == Bytes(7));
  }
  CHECK(bytes_on_wire<double>(Collective::point_to_point, 2, Bytes(8)) == Bytes(8));
  CHECK(bytes_on_wire<double>(Collective::all_reduce, 8, Bytes(8)) == Bytes(14));
  CHECK(bytes_sent<double>(Algorithm::ring, Collective::all_reduce, 8, Bytes(8)) == Bytes(14));
  CHECK(bytes_sent<double>(Algorithm::in_switch, Collective::all_reduce, 8, Bytes(8)) == Bytes(8));
}

TEST_CASE("switches of both tiers work at once, one step after the other") {
  const Cluster c = sharp();
  // Rings of 8 and of 32 ranks take as long: 7/4·S over 125 GB/s, 31/16·S over 64 GB/s.
  CHECK(us(Algorithm::in_switch, c, group_over(4, 8)) ==
        near(20 + 3 + 7 + 31.0 / 16 * 8e6 / 64e9 / kUs));
  Cluster slow = c;
  slow.tiers[0].bandwidth = BytesPerSecond(10e9);
  CHECK(us(Algorithm::in_switch, slow, group_over(4, 8)) ==
        near(20 + 3 + 7 + 7.0 / 4 * 8e6 / 12.5e9 / kUs));
}

TEST_CASE("copies through switches are as slow as a ring's, in the switch's latency") {
  Cluster c = sharp();
  c.tiers[1].efficiency = 0.5;
  for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter}) {
    CHECK(us(Algorithm::in_switch, c, group_over(4, 8), kind) ==
          near(20 + 3 + 7 + 31.0 / 32 * 8e6 / 40e9 / kUs));
  }
}

TEST_CASE("a switch serves a group if every tier in use has one") {
  Cluster c = sharp();
  const auto serves = [&](const Group& g) { return InSwitch::applies(c, fold(c, g, g.ranks)); };
  CHECK(serves(group_over(4, 8)));
  c.tiers[1].in_network_reduction = false;
  CHECK_FALSE(serves(group_over(4, 8)));
  CHECK_FALSE(serves(group_over(4, 1)));
  CHECK(serves(group_over(1, 8)));
  c.tiers[1].in_network_reduction = true;
  c.tiers[0].in_network_reduction = false;
  CHECK_FALSE(serves(group_over(4, 8)));
  CHECK(serves(group_over(4, 1)));  // the links inside are not on its way
}

// A quad's links are passed by ranks of which no two meet there.
TEST_CASE("links that are only passed carry the buffer without a switch") {
  Cluster c = two_quads();
  c.tiers[0].group_sizes = 0;
  c.tiers[0].bandwidth = BytesPerSecond(50e9);
  c.tiers[1].in_network_reduction = true;
  c.tiers[1].reduction_efficiency = 1;
  c.tiers[1].reduction_latency = Seconds(3 * kUs);
  c.tiers[0].reduction_latency = Seconds(100 * kUs);
  Group pair;
  pair.ranks = 2;
  pair.members = {1, 2, 2, 2, 2, 2};
  CHECK(only_passed(c, fold(c, pair, 2), 0));
  CHECK_FALSE(only_passed(c, fold(c, pair, 2), 1));
  CHECK(us(Algorithm::in_switch, c, pair) == near(3 + 8e6 / 50e9 / kUs));
  CHECK(us(Algorithm::in_switch, c, pair, Collective::all_gather) == near(3 + 4e6 / 50e9 / kUs));
}

TEST_CASE("NCCL leaves two ranks of a node to its rings, two nodes to their switch") {
  Cluster c = sharp();
  const auto few = [&](const Group& g, std::size_t i) {
    return too_few_for_nccl(c, fold(c, g, g.ranks), i);
  };
  CHECK_FALSE(few(group_over(1, 2), 0));
  c.library = CollectiveLibrary::nccl;
  CHECK(few(group_over(1, 2), 0));
  CHECK(few(group_over(4, 2), 0));
  CHECK_FALSE(few(group_over(1, 3), 0));
  CHECK_FALSE(few(group_over(4, 8), 0));
  CHECK_FALSE(few(group_over(2, 1), 1));
  CHECK_FALSE(few(group_over(4, 1), 0));  // it is not used
  CHECK(meeting_in(fold(c, group_over(4, 8), 32), 0) == 8);
}

TEST_CASE("a tree is as deep as its nodes halve") {
  CHECK(tree_depth(1) == 0);
  CHECK(tree_depth(2) == 1);
  CHECK(tree_depth(3) == 2);
  CHECK(tree_depth(4) == 2);
  CHECK(tree_depth(5) == 3);
  CHECK(tree_depth(1024) == 10);
  CHECK(tree_depth(1025) == 11);
}

TEST_CASE("the chain of a tree visits all ranks of a node, blocks included") {
  const Cluster flat = round_cluster();
  CHECK(chain_hops(flat, group_over(4, 8), 0) == 7);
  CHECK(chain_hops(flat, group_over(4, 1), 0) == 0);
  const Cluster c = two_quads();
  CHECK(chain_hops(c, side_by_side(c, 8), 0) == 6);
  CHECK(chain_hops(c, side_by_side(c, 8), 1) == 1);
}

TEST_CASE("the switch of a node stands in for a tree's chain, from three ranks on") {
  Cluster c = sharp();
  c.tiers[1].in_network_reduction = false;
  // Up to the switch and down in 3 us, in place of 14 hops.
  CHECK(us(Algorithm::tree, c, group_over(4, 8)) == filled(20, 3 + 4 * 10, 200));
  CHECK(us(Algorithm::tree, c, group_over(4, 2)) == filled(20, 2 * 1 + 4 * 10, 200));
  CHECK(us(Algorithm::tree, c, group_over(4, 1)) == filled(20, 4 * 10, 200));
  c.tiers[0].in_network_reduction = false;
  CHECK(us(Algorithm::tree, c, group_over(4, 8)) == filled(20, 14 * 1 + 4 * 10, 200));
}

TEST_CASE("a busy node of a tree carries the buffer twice, of two nodes once") {
  const Cluster c = round_cluster();
  CHECK(us(Algorithm::tree, c, group_over(2, 1)) == filled(20, 2 * 10, 100));
  CHECK(us(Algorithm::tree, c, group_over(3, 1)) == filled(20, 4 * 10, 200));
  // Inside a node two on a chain carry it twice.
  Cluster slow = c;
  slow.tiers[0].bandwidth = BytesPerSecond(20e9);
  CHECK(us(Algorithm::tree, slow, group_over(2, 2)) == filled(20, 2 * 1 + 2 * 10, 800));
}

TEST_CASE("the ramp of a tree is the tier's own where that is larger") {
  Cluster c = round_cluster();
  c.tiers[1].ramp = Seconds(200 * kUs);
  CHECK(us(Algorithm::tree, c, group_over(4, 1)) == near(20 + 40 + 200 + 200));
}

TEST_CASE("a tree needs a fabric, or a switch in a node of several tiers") {
  const auto grows = [](const Cluster& c, const Group& g) {
    return Tree::applies(c, fold(c, g, g.ranks));
  };
  const Cluster c = round_cluster();
  CHECK(grows(c, group_over(4, 8)));
  CHECK(grows(c, group_over(4, 1)));
  CHECK_FALSE(grows(c, group_over(1, 8)));
  Cluster quads = two_quads();
  CHECK_FALSE(grows(quads, side_by_side(quads, 8)));
  quads.tiers[0].in_network_reduction = true;
  CHECK(grows(quads, side_by_side(quads, 8)));
  CHECK_FALSE(grows(quads, side_by_side(quads, 4)));
  // Two sockets of four GPUs: no blocks, but two tiers.
  Cluster sockets = two_quads();
  sockets.tiers[0].block = false;
  CHECK(grows(sockets, side_by_side(sockets, 8)));
  Group pair = side_by_side(sockets, 2);
  pair.members = {1, 2, 2, 2, 2, 2};
  CHECK_FALSE(grows(sockets, pair));
}

TEST_CASE("phases between nodes used in part send as much as a flat ring") {
  const Cluster c = round_cluster();
  // 18 ranks on three nodes: inside as in a full node, across 17/18 of S.
  const double inside = 5 + 7 + 70;
  CHECK(us(Algorithm::hierarchical, c, side_by_side(c, 18), Collective::all_gather) ==
        near(inside + 20 + 2 * 10 + 17.0 / 18 * 8e6 / 80e9 / kUs));
}

TEST_CASE("a ring across nodes waits for the links inside if these are slower") {
  Cluster c = round_cluster();
  c.tiers[0].bandwidth = BytesPerSecond(5e9);
  const double inside = 5 + 7 + 7e6 / 5e9 / kUs;
  // 3/4 of S cross from each node, an eighth of that over each GPU's link.
  CHECK(us(Algorithm::hierarchical, c, group_over(4, 8), Collective::reduce_scatter) ==
        near(inside + 20 + 3 * 10 + 0.75e6 / 5e9 / kUs));
}

TEST_CASE("recursive doubling is no faster than the slowest link lets any order be") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  // The last of nine ranks has its own card for 8/9 of S.
  CHECK(us(Algorithm::recursive, c, side_by_side(c, 9), Collective::all_gather) ==
        near(20 + 3 * 1 + 10 + 8.0 / 9 * 8e6 / 10e9 / kUs));
}

TEST_CASE("libraries have the algorithms that their sources name") {
  const auto fastest = [](CollectiveLibrary l, Collective kind, const Group& g, double bytes) {
    Cluster c = round_cluster();
    c.library = l;
    return collective_cost(c, g, kind, Bytes(bytes)).algorithm;
  };
  const Group wide = group_over(256, 8);
  CHECK(fastest(CollectiveLibrary::rccl, Collective::all_reduce, wide, 1e3) == Algorithm::tree);
  CHECK(fastest(CollectiveLibrary::any, Collective::all_gather, group_over(256, 1), 1e3) !=
        Algorithm::ring);
}

// Over racks a rank sends to each node of the others, or once to each of them.
TEST_CASE("NCCL and RCCL send every message of an all-to-all straight") {
  Cluster c = racks();
  const auto taken = [&](CollectiveLibrary l) {
    c.library = l;
    return collective_cost(c, side_by_side(c, 2048), Collective::all_to_all, Bytes(1e3)).algorithm;
  };
  CHECK(taken(CollectiveLibrary::any) == Algorithm::hierarchical);
  CHECK(taken(CollectiveLibrary::nccl) == Algorithm::direct);
  CHECK(taken(CollectiveLibrary::rccl) == Algorithm::direct);
}
