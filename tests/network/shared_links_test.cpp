// SPDX-License-Identifier: Apache-2.0
// Shares of links and cards for groups, the choice of algorithm and its record, computed by hand.
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

namespace {

// One message between two children of tier `tier`, whose links `sharers` such messages share.
CollectiveCost<double> point_to_point_cost(const Cluster& c, std::size_t tier, std::int64_t sharers,
                                           Bytes bytes) {
  Group pair;
  pair.ranks = 2;
  for (std::size_t i = tier; i < kMaxTiers; ++i) pair.members[i] = 2;
  pair.sharers.fill(sharers);
  return collective_cost(c, pair, Collective::point_to_point, bytes);
}

}  // namespace

TEST_CASE("one rank fills its own card, all of a node fill all") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  CHECK(point_to_point_cost(c, 1, 1, Bytes(1e6)).time.si() / kUs == near(20 + 10 + 100));
  CHECK(point_to_point_cost(c, 1, 8, Bytes(1e6)).time.si() / kUs == near(20 + 10 + 100));
  CHECK(point_to_point_cost(c, 1, 16, Bytes(1e6)).time.si() / kUs == near(20 + 10 + 200));
  CHECK(us_by(Algorithm::ring, c, group_over(4, 8), Collective::all_gather, 32e6) ==
        near(20 + 28 * 1 + 3 * 10 + 31e6 / 80e9 / kUs));
  CHECK(us_by(Algorithm::ring, c, group_over(4, 2), Collective::all_gather, 8e6) ==
        near(20 + 4 * 1 + 3 * 10 + 7e6 / 20e9 / kUs));
}

TEST_CASE("rings and trees of one group go over a card a channel, an all-to-all over all cards") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  const double to_all = us_by(Algorithm::direct, c, group_over(4, 8), Collective::all_to_all, 32e6);
  const double tree = us_by(Algorithm::tree, c, group_over(4, 8), Collective::all_reduce, 32e6);
  c.tiers[1].channel_share = 4.0 / 8;
  const double start = 20 + 28 * 1 + 3 * 10;
  CHECK(us_by(Algorithm::ring, c, group_over(4, 8), Collective::all_gather, 32e6) ==
        near(start + 31e6 / 40e9 / kUs));
  // Two groups side by side have channels for all eight cards; two ranks a node fill two of four.
  CHECK(us_by(Algorithm::ring, c, group_over(4, 4, 2), Collective::all_gather, 32e6) ==
        near(20 + 12 * 1 + 3 * 10 + 15.0 / 16 * 32e6 / 40e9 / kUs));
  CHECK(us_by(Algorithm::ring, c, group_over(4, 2), Collective::all_gather, 8e6) ==
        near(20 + 4 * 1 + 3 * 10 + 7e6 / 20e9 / kUs));
  CHECK(us_by(Algorithm::tree, c, group_over(4, 8), Collective::all_reduce, 32e6) > tree);
  CHECK(us_by(Algorithm::direct, c, group_over(4, 8), Collective::all_to_all, 32e6) == to_all);
}

TEST_CASE("where a card has failed groups go over whole cards of those left") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  c.tiers[1].cards_failed = 1;
  // Eight ranks on seven cards: two share one. Four have a card each.
  CHECK(point_to_point_cost(c, 1, 8, Bytes(1e6)).time.si() / kUs == near(20 + 10 + 200));
  CHECK(point_to_point_cost(c, 1, 4, Bytes(1e6)).time.si() / kUs == near(20 + 10 + 100));
  // One group of eight ranks has all seven, two groups of four have three each.
  CHECK(us_by(Algorithm::ring, c, group_over(4, 8), Collective::all_gather, 32e6) ==
        near(20 + 28 * 1 + 3 * 10 + 31e6 / 70e9 / kUs));
  CHECK(us_by(Algorithm::ring, c, group_over(4, 4, 2), Collective::all_gather, 32e6) ==
        near(20 + 12 * 1 + 3 * 10 + 15.0 / 16 * 32e6 / 30e9 / kUs));
}

TEST_CASE("a group with one rank a rack passes the cards of its nodes") {
  Cluster c = round_cluster();
  c.tiers[2] = c.tiers[1];
  c.tier_count = 3;
  c.tiers[1].size = 32;
  c.tiers[2].bandwidth = BytesPerSecond(400e9);
  Group g;
  g.ranks = 4;
  g.members = {1, 1, 4, 4, 4, 4};
  CHECK(us_by(Algorithm::ring, c, g, Collective::all_gather, 8e6) ==
        near(20 + 3 * 10 + 6e6 / 80e9 / kUs));
}

TEST_CASE("the busiest rank of an uneven all-to-all takes its node with it") {
  const Cluster c = round_cluster();
  Group g = group_over(1, 8);
  g.busiest_rank = 2;
  CHECK(us_by(Algorithm::direct, c, g, Collective::all_to_all, 8e6) == near(5 + 7 + 2 * 70));
  g = group_over(8, 8);
  g.busiest_rank = 8;
  const double node = (8 + 7 * 56.0 / 63) / 8;
  CHECK(us_by(Algorithm::direct, c, g, Collective::all_to_all, 64e6) ==
        near(20 + 7 * 1 + 7 * 10 + node * 8 * 56e6 / 80e9 / kUs));
  // A rank's own messages go over its own card.
  Cluster cards = c;
  cards.tiers[1].rank_share = 1.0 / 8;
  CHECK(us_by(Algorithm::direct, cards, g, Collective::all_to_all, 64e6) ==
        near(20 + 7 * 1 + 7 * 10 + 8 * 56e6 / 10e9 / kUs));
}

TEST_CASE("the switch answers as fast for many as for few") {
  Cluster c = round_cluster();
  c.tiers[0].size = 72;
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1;
  c.tiers[0].reduction_latency = Seconds(2 * kUs);
  const auto us = [&](std::int64_t n) {
    return collective_cost(c, group_over(1, n), Collective::all_reduce, Bytes(1)).time.si() / kUs;
  };
  CHECK(us(72) == testing::about(5 + 2).epsilon(1e-5));
  CHECK(us(8) == testing::about(us(72)).epsilon(1e-5));
}

TEST_CASE("a reduce and a broadcast send all of the buffer down a chain") {
  const Cluster c = round_cluster();
  for (Collective kind : {Collective::broadcast, Collective::reduce}) {
    CHECK(us_by(Algorithm::ring, c, group_over(1, 8), kind, 8e6) == near(5 + 7 + 80));
  }
}

TEST_CASE("an all-to-all sends what leaves a node over its cards") {
  const Cluster c = round_cluster();
  // 64 ranks: each of 8 in a node sends 56/64 of its buffer elsewhere.
  CHECK(us_by(Algorithm::direct, c, group_over(8, 8), Collective::all_to_all, 64e6) ==
        near(20 + 7 * 1 + 7 * 10 + 8 * 56e6 / 80e9 / kUs));
  CHECK(us_by(Algorithm::direct, c, group_over(1, 8), Collective::all_to_all, 8e6) ==
        near(5 + 7 + 70));
}

TEST_CASE("a message between nodes takes its share of the cards") {
  const Cluster c = round_cluster();
  const auto one = point_to_point_cost(c, 1, 8, Bytes(1e6));
  CHECK(one.time.si() / kUs == near(20 + 10 + 100));
  CHECK(one.bytes_per_rank == Bytes(1e6));
  CHECK(one.tier == 1);
  CHECK(point_to_point_cost(c, 0, 1, Bytes(1e6)).time.si() / kUs == near(5 + 1 + 10));
}

TEST_CASE("a collective of 1024 nodes costs more than one of two") {
  const Cluster c = round_cluster();
  for (double bytes : {1e3, 1e9}) {
    for (const Collective kind : kAllOf<Collective>) {
      if (kind == Collective::point_to_point) continue;
      CAPTURE(name_of(kind));
      CHECK(collective_cost(c, group_over(1024, 8), kind, Bytes(bytes)).time >
            1.01 * collective_cost(c, group_over(2, 8), kind, Bytes(bytes)).time);
    }
  }
}

TEST_CASE("few bytes over many nodes go by a tree, many over few by a ring") {
  Cluster c = round_cluster();
  c.library = CollectiveLibrary::nccl;
  const auto algorithm = [&](std::int64_t nodes, double bytes) {
    return collective_cost(c, group_over(nodes, 8), Collective::all_reduce, Bytes(bytes)).algorithm;
  };
  CHECK(algorithm(1024, 1e4) == Algorithm::tree);
  CHECK(algorithm(4, 1e10) == Algorithm::ring);
  CHECK(algorithm(1, 1e4) == Algorithm::ring);
}

TEST_CASE("the cut bound counts sharers and cuts by tier") {
  const Cluster c = round_cluster();
  const auto bound = [&](const Group& g, Collective kind) {
    return cut_bound(c, g, kind, Bytes(8e6)).si() / kUs;
  };
  CHECK(bound(group_over(2, 8), Collective::all_reduce) == near(150));  // inside: 15/8·80
  CHECK(bound(group_over(2, 8, 4), Collective::all_reduce) == near(400));
  CHECK(bound(group_over(2, 8), Collective::all_to_all) == near(8 * 50));
  CHECK(bound(group_over(8, 1, 8), Collective::all_gather) == near(7 * 100));
}

TEST_CASE("a recorded time names its steps, bytes and bandwidth") {
  Cluster c = round_cluster();
  c.library = CollectiveLibrary::nccl;
  Tape tape;
  const Recording recording(tape);
  const auto s = lift<Traced>(Bytes(8e6), {"buffer", ""});
  const auto cost = collective_cost(c, group_over(4, 8), Collective::all_gather, s);
  const auto has = [&](const std::string& name) {
    return std::any_of(tape.nodes.begin(), tape.nodes.end(),
                       [&](const Node& n) { return name == n.label.name; });
  };
  CHECK(tape.nodes[static_cast<std::size_t>(cost.time.si().node)].label.name ==
        std::string("ring time"));
  for (const char* name : {"steps × latency", "bandwidth of a link the group gets",
                           "(n − 1)/n of the buffer", "cluster.tiers.bandwidth"}) {
    CAPTURE(name);
    CHECK(has(name));
  }
  CHECK_FALSE(has("tree time"));
}
