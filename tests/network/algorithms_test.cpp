// SPDX-License-Identifier: Apache-2.0
// Times of the algorithms by hand, on a cluster of round numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "network/collective_cost.h"
#include "network/cut_bound.h"
#include "network/round_cluster.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

TEST_CASE("a ring in a node takes its launch, its steps and its bytes") {
  const Cluster c = round_cluster();
  const Group g = group_over(1, 8);
  CHECK(us_by(Algorithm::ring, c, g, Collective::all_reduce, 8e6) == near(5 + 14 + 140));
  CHECK(us_by(Algorithm::ring, c, g, Collective::all_gather, 8e6) == near(5 + 7 + 70));
  CHECK(us_by(Algorithm::ring, c, g, Collective::reduce_scatter, 8e6) == near(5 + 7 + 70));
  CHECK(us_by(Algorithm::ring, c, g, Collective::broadcast, 8e6) == near(5 + 7 + 80));
}

TEST_CASE("efficiency slows the wire and ramp adds a root of it") {
  Cluster c = round_cluster();
  c.tiers[0].efficiency = 0.5;
  c.tiers[0].ramp = Seconds(70 * kUs);
  CHECK(us_by(Algorithm::ring, c, group_over(1, 8), Collective::all_reduce, 8e6) ==
        near(5 + 14 + 280 + 140));
}

TEST_CASE("a ring over nodes is bound by the cards of a node, which one group uses alone") {
  const Cluster c = round_cluster();
  // 32 ranks: 28 hops inside nodes and 4 − 1 between them a pass, 31/32 of S over 80 GB/s.
  CHECK(us_by(Algorithm::ring, c, group_over(4, 8), Collective::all_gather, 32e6) ==
        near(20 + 28 * 1 + 3 * 10 + 31e6 / 80e9 / kUs));
}

TEST_CASE("eight groups with a rank in every node share its cards") {
  const Cluster c = round_cluster();
  CHECK(us_by(Algorithm::ring, c, group_over(4, 1, 8), Collective::all_reduce, 4e6) ==
        near(20 + 6 * 10 + 2 * 3e6 / 10e9 / kUs));
}

TEST_CASE("a flat ring predicts a measured all-reduce over four nodes") {
  // 4 GiB over 32 B200 with 8 × 50 GB/s a node took 22.05 ms; all that at line rate 20.8 ms
  // (stas00/ml-engineering@744d01e1 network/README.md). One card of 50 GB/s alone gives 4 times it.
  Cluster c = round_cluster();
  c.tiers[0].bandwidth = BytesPerSecond(900e9);
  c.tiers[1].bandwidth = BytesPerSecond(400e9);
  const double us = us_by(Algorithm::ring, c, group_over(4, 8), Collective::all_reduce, 4 * 0x1p30);
  CHECK(us == testing::about(20.8e3).epsilon(0.01));
}

TEST_CASE("links of a mesh join with the group") {
  Cluster c = round_cluster();
  c.tiers[0].group_sizes = 2;
  c.tiers[0].group_bandwidth[0] = {2, BytesPerSecond(20e9)};
  c.tiers[0].group_bandwidth[1] = {8, BytesPerSecond(100e9)};
  CHECK(us_by(Algorithm::ring, c, group_over(1, 2), Collective::all_reduce, 8e6) ==
        near(5 + 2 + 400));
  CHECK(us_by(Algorithm::ring, c, group_over(1, 8), Collective::all_reduce, 8e6) ==
        near(5 + 14 + 140));
}

TEST_CASE("an all-to-all on a torus takes the time of its middle") {
  // A ring of 16 with two links of 45 GB/s a member: S·A/(8·link); a quarter of an all-gather of
  // 16·S over both directions (jax-ml/scaling-book@0819a7d sharding.md).
  Cluster c = round_cluster();
  c.tiers[0].size = 16;
  c.tiers[0].latency = {};
  c.tiers[0].launch = {};
  c.tiers[0].group_sizes = 2;
  c.tiers[0].group_bandwidth[0] = {2, BytesPerSecond(45e9), 1};
  c.tiers[0].group_bandwidth[1] = {16, BytesPerSecond(90e9), 15.0 / 64};
  c.tiers[0].bandwidth = BytesPerSecond(90e9);
  const double us = us_by(Algorithm::direct, c, group_over(1, 16), Collective::all_to_all, 1e9);
  CHECK(us == testing::about(1e9 * 16 / (8 * 45e9) / kUs).epsilon(0.001));
  // All else goes around the ring, past no other member.
  CHECK(us_by(Algorithm::ring, c, group_over(1, 16), Collective::all_gather, 1e9) ==
        testing::about(15e9 / 16 / 90e9 / kUs).epsilon(0.001));
  // Two members have no one between them.
  CHECK(us_by(Algorithm::direct, c, group_over(1, 2), Collective::all_to_all, 1e9) ==
        testing::about(0.5e9 / 45e9 / kUs).epsilon(0.001));
}

TEST_CASE("a tree is as deep as the logarithm of its nodes") {
  const Cluster c = round_cluster();
  const auto tree = [&](std::int64_t nodes, std::int64_t per_node) {
    return us_by(Algorithm::tree, c, group_over(nodes, per_node), Collective::all_reduce, 8e6);
  };
  // launch + (√latency + √wire)²
  const auto filled = [](double latency, double wire) {
    return near(20 + latency + wire + 2 * std::sqrt(latency * wire));
  };
  CHECK(tree(2, 1) == filled(2 * 10, 100));
  CHECK(tree(4, 1) == filled(4 * 10, 200));
  CHECK(tree(5, 1) == filled(6 * 10, 200));
  CHECK(tree(1024, 8) == filled(14 + 20 * 10, 200));
}

TEST_CASE("the switch halves the bytes of an all-reduce, never below the line rate") {
  Cluster c = round_cluster();
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1.25;
  c.tiers[0].reduction_latency = Seconds(3 * kUs);
  const auto cost = [&](std::int64_t n) {
    return us_by(Algorithm::in_switch, c, group_over(1, n), Collective::all_reduce, 8e6);
  };
  CHECK(cost(8) == near(5 + 3 + 140 / 1.25));
  CHECK(cost(2) == near(5 + 3 + 80));
  CHECK_FALSE(applies(Algorithm::in_switch, c, group_over(2, 8), Collective::all_reduce));
  CHECK_FALSE(applies(Algorithm::in_switch, c, group_over(1, 8), Collective::all_to_all));
  CHECK(us_by(Algorithm::in_switch, c, group_over(1, 8), Collective::all_gather, 8e6) ==
        near(5 + 3 + 70));
}

TEST_CASE("NCCL reduces in the switch of a node from three ranks on") {
  Cluster c = round_cluster();
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1.25;
  const auto reduces = [&](std::int64_t nodes, std::int64_t per_node) {
    return applies(Algorithm::in_switch, c, group_over(nodes, per_node), Collective::all_reduce);
  };
  CHECK(reduces(1, 2));  // a library that has everything
  c.library = CollectiveLibrary::nccl;
  CHECK_FALSE(reduces(1, 2));
  CHECK(reduces(1, 3));
  const CollectiveCost<double> two =
      collective_cost(c, group_over(1, 2), Collective::all_reduce, Bytes(8e6));
  CHECK(two.algorithm == Algorithm::ring);
  CHECK(two.time.si() / kUs == near(5 + 2 + 80));  // S at a ring's rate, not at 1.25 of it
  c.tiers[1].in_network_reduction = true;
  CHECK_FALSE(reduces(2, 2));
  CHECK(reduces(4, 1));  // SHARP alone
  CHECK(reduces(2, 8));
}

TEST_CASE("a hierarchical all-reduce runs its three phases in turn") {
  const Cluster c = round_cluster();
  const double inside = 5 + 7 + 70;
  const double between = 20 + 6 * 10 + 2 * 0.75 * 8e6 / 80e9 / kUs;
  CHECK(us_by(Algorithm::hierarchical, c, group_over(4, 8), Collective::all_reduce, 8e6) ==
        near(2 * inside + between));
  CHECK_FALSE(applies(Algorithm::hierarchical, c, group_over(4, 1, 8), Collective::all_reduce));
  CHECK_FALSE(applies(Algorithm::hierarchical, c, group_over(1, 8), Collective::all_reduce));
}

TEST_CASE("a hierarchical all-gather runs across the nodes, then inside") {
  const Cluster c = round_cluster();
  const double across = 20 + 3 * 10 + 0.75 * 8e6 / 80e9 / kUs;
  const double inside = 5 + 7 + 70;
  CHECK(us_by(Algorithm::hierarchical, c, group_over(4, 8), Collective::all_gather, 8e6) ==
        near(across + inside));
}

TEST_CASE("recursive doubling takes a logarithm of steps, one tier after the other") {
  const Cluster c = round_cluster();
  // 16 nodes in 4 steps, 15/16 of S over their cards; 8 ranks inside in 3, 7/8 over their links.
  const double wire = (15.0 / 16 * 8e6 / 80e9 + 7.0 / 8 * 8e6 / 100e9) / kUs;
  const auto us = [&](Collective kind) {
    return us_by(Algorithm::recursive, c, group_over(16, 8), kind, 8e6);
  };
  CHECK(us(Collective::all_gather) == near(20 + 4 * 10 + 3 * 1 + wire));
  CHECK(us(Collective::reduce_scatter) == us(Collective::all_gather));
  CHECK(us(Collective::all_reduce) == near(20 + 2 * (4 * 10 + 3 * 1 + wire)));
  CHECK(us_by(Algorithm::recursive, c, group_over(5, 1, 8), Collective::all_gather, 8e6) ==
        near(20 + 3 * 10 + 0.8 * 8e6 / 10e9 / kUs));
}

TEST_CASE("PAT is for one rank a node, at its own rate on the wire") {
  Cluster c = round_cluster();
  c.tiers[1].pat_rate = 0.75;
  const double wire = 15.0 / 16 * 8e6 / 80e9 / kUs;
  CHECK(us_by(Algorithm::pat, c, group_over(16, 1), Collective::all_gather, 8e6) ==
        near(20 + 4 * 10 + wire / 0.75));
  CHECK_FALSE(applies(Algorithm::pat, c, group_over(16, 8), Collective::all_gather));
  CHECK_FALSE(applies(Algorithm::pat, c, group_over(1, 8), Collective::all_gather));
  CHECK_FALSE(applies(Algorithm::pat, c, group_over(16, 1), Collective::all_reduce));
}

// Two nodes of 8 and 2 ranks of a third: the two have 20 of the node's 80 GB/s.
TEST_CASE("a node used in part binds with its own cards") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  Group g = group_over(2, 8);
  g.ranks = 18;
  for (std::size_t i = 1; i < kMaxTiers; ++i) g.members[i] = 18;
  const double full = 8.0 * 10 / 18 * 8e6 / 80e9 / kUs;
  const double rest = 2.0 * 16 / 18 * 8e6 / 20e9 / kUs;
  CHECK(rest > full);
  CHECK(us_by(Algorithm::direct, c, g, Collective::all_to_all, 8e6) ==
        near(20 + 7 * 1 + 2 * 10 + rest));
  CHECK(us_by(Algorithm::ring, c, g, Collective::all_gather, 8e6) ==
        near(20 + 15 * 1 + 2 * 10 + 17.0 / 18 * 8e6 / 20e9 / kUs));
}

// Two quads: of an all-to-all 4·4/8 of S leave each for the other.
TEST_CASE("an exchange pays for the cut between blocks, a ring does not") {
  const Cluster c = two_quads();
  const Group g = side_by_side(c, 8);
  CHECK(us_by(Algorithm::direct, c, g, Collective::all_to_all, 15e6) ==
        near(3 * 1 + 4 * 1 + 2 * 15e6 / 150e9 / kUs));
  CHECK(us_by(Algorithm::ring, c, g, Collective::all_gather, 15e6) ==
        near(7 * 1 + 7.0 / 8 * 15e6 / 150e9 / kUs));
  CHECK_FALSE(applies(Algorithm::tree, c, g, Collective::all_reduce));
  // Two ranks of different blocks, with three such pairs beside: a quarter of the cut.
  Group pair = g;
  pair.ranks = 2;
  pair.members.fill(2);
  pair.members[0] = 1;
  pair.sharers[1] = 4;
  CHECK(us_by(Algorithm::direct, c, pair, Collective::point_to_point, 15e6) ==
        near(1 + 15e6 / (150e9 / 4) / kUs));
}

TEST_CASE("a library takes what it has, though another would be faster") {
  Cluster c = round_cluster();
  const auto cost = [&](CollectiveLibrary l, Collective kind, const Group& g) {
    c.library = l;
    return collective_cost(c, g, kind, Bytes(1e6));
  };
  const Group wide = group_over(256, 8);
  const Group thin = group_over(256, 1, 8);
  const auto taken = [&](CollectiveLibrary l, Collective kind, const Group& g) {
    return cost(l, kind, g).algorithm;
  };
  CHECK(taken(CollectiveLibrary::nccl, Collective::all_gather, wide) == Algorithm::ring);
  CHECK(taken(CollectiveLibrary::rccl, Collective::reduce_scatter, wide) == Algorithm::ring);
  CHECK(taken(CollectiveLibrary::any, Collective::all_gather, wide) == Algorithm::recursive);
  CHECK(taken(CollectiveLibrary::nccl, Collective::all_gather, thin) == Algorithm::pat);
  CHECK(taken(CollectiveLibrary::rccl, Collective::all_gather, thin) == Algorithm::ring);
  CHECK(cost(CollectiveLibrary::any, Collective::all_gather, wide).time <
        cost(CollectiveLibrary::nccl, Collective::all_gather, wide).time / 10.0);
}
