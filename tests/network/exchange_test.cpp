// SPDX-License-Identifier: Apache-2.0
// All-to-alls and single messages over racks, blocks and uneven nodes, computed by hand.
#include <doctest/doctest.h>

#include "network/direct.h"
#include "network/hierarchical_exchange.h"
#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

double direct_us(const Cluster& c, const Group& g, double bytes) {
  return us_by(Algorithm::direct, c, g, Collective::all_to_all, bytes);
}

double tiered_us(const Cluster& c, const Group& g, double bytes) {
  return us_by(Algorithm::hierarchical, c, g, Collective::all_to_all, bytes);
}

// The steps of tier i one after another, in a whole group of `ranks`.
std::int64_t turns_of(const Cluster& c, std::int64_t ranks, std::size_t i) {
  const Group g = side_by_side(c, ranks);
  return turns(c, g, i, first_fabric(c, fold(c, g, ranks)));
}

}  // namespace

TEST_CASE("a unit sends the share of the buffer that belongs to others") {
  CHECK(leaving<double>(Bytes(64e6), 8, 64).si() == near(8 * 56e6));
  CHECK(leaving<double>(Bytes(64e6), 1, 64).si() == near(63e6));
  CHECK(leaving<double>(Bytes(64e6), 64, 64) == Bytes());
  // Bytes that leave one half enter the other.
  CHECK(leaving<double>(Bytes(18e6), 16, 18) == leaving<double>(Bytes(18e6), 2, 18));
}

TEST_CASE("the busiest rank weighs on its unit by what it sends more than the mean") {
  Group g;
  g.ranks = 64;
  CHECK(busiest_unit(g, 8) == near(1));
  g.busiest_rank = 8;
  CHECK(busiest_unit(g, 1) == near(8));
  CHECK(busiest_unit(g, 8) == near((8 + 7 * 56.0 / 63) / 8));
  CHECK(busiest_unit(g, 64) == near(1));  // all ranks together send the mean
}

TEST_CASE("a rank serves all nodes but its own, rack after rack") {
  const Cluster c = racks();
  CHECK(turns_of(c, 128, 0) == 7);
  CHECK(turns_of(c, 128, 1) == 3);
  CHECK(turns_of(c, 128, 2) == 3 * 4);
  CHECK(turns_of(c, 16, 1) == 1);
  // A rank in each rack: one message to each of the others.
  Group g = side_by_side(c, 4);
  g.members = {1, 1, 4, 4, 4, 4};
  CHECK(turns(c, g, 2, 2) == 3);
}

TEST_CASE("a rank serves all of the other block one by one") {
  CHECK(turns_of(two_quads(), 8, 0) == 3);
  CHECK(turns_of(two_quads(), 8, 1) == 4);
  CHECK(turns_of(two_quads(), 4, 0) == 3);
}

TEST_CASE("an all-to-all over racks binds at the cards or at the racks' links") {
  Cluster c = racks();
  const Group g = side_by_side(c, 128);
  const double steps = 7 * 1 + 3 * 10 + 12 * 30;
  // 8·120/128 of S over the cards of a node, 32·96/128 over the links of a rack.
  CHECK(direct_us(c, g, 128e6) == near(40 + steps + 8 * 120e6 / 80e9 / kUs));
  c.tiers[1].bandwidth = BytesPerSecond(200e9);
  CHECK(direct_us(c, g, 128e6) == near(40 + steps + 32 * 96e6 / 400e9 / kUs));
}

TEST_CASE("a rank posts its messages one by one however fast the fabric is") {
  Cluster c = round_cluster();
  c.tiers[1].latency = Seconds(1 * kUs);
  const double wire = 8 * 56e3 / 80e9 / kUs;
  CHECK(direct_us(c, group_over(8, 8), 64e3) == near(20 + 63 * 1 + wire));
  // Ranks alone on their nodes use no step inside, those of one node no fabric.
  c.tiers[1].latency = Seconds(0.5 * kUs);
  CHECK(direct_us(c, group_over(8, 1), 8e3) == near(20 + 7 * 0.5 + 7e3 / 80e9 / kUs));
  Cluster quads = two_quads();
  quads.tiers[1].latency = Seconds(0.1 * kUs);
  CHECK(direct_us(quads, side_by_side(quads, 8), 0.15) == near(7 * 1 + 2 * 0.15 / 150e9 / kUs));
}

TEST_CASE("the node of the busiest rank may bind, or the rank's own card") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  Group g = side_by_side(c, 16);
  g.busiest_rank = 1.5;
  const double steps = 7 * 1 + 10 + 20;
  // The node sends 8·8/16·S, times its load over the mean; the rank 8/16·S times 1.5 over a card.
  const double node = (1.5 + 7 * 14.5 / 15) / 8 * 4 * 16e6 / 80e9 / kUs;
  const double rank = 1.5 * 8e6 / 10e9 / kUs;
  CHECK(rank > node);
  CHECK(direct_us(c, g, 16e6) == near(steps + rank));
  // Inside a node the rank's own link is all there is.
  Group inside = group_over(1, 8);
  inside.busiest_rank = 1.5;
  CHECK(direct_us(c, inside, 8e6) == near(5 + 7 + 1.5 * 70));
}

TEST_CASE("a message passes the cards on its way and takes one step") {
  Cluster c = racks();
  Group pair;
  pair.ranks = 2;
  pair.members = {1, 1, 2, 2, 2, 2};
  const auto us = [&] {
    return us_by(Algorithm::direct, c, pair, Collective::point_to_point, 8e6);
  };
  CHECK(us() == near(40 + 30 + 8e6 / 80e9 / kUs));
  c.tiers[1].bandwidth = BytesPerSecond(800e9);
  CHECK(us() == near(40 + 30 + 8e6 / 400e9 / kUs));
  c.tiers[0].bandwidth = BytesPerSecond(1e9);  // no card goes over the switch of its node
  CHECK(us() == near(40 + 30 + 8e6 / 400e9 / kUs));
}

TEST_CASE("a message out of a block goes over the block's link too") {
  Cluster c = two_quads();
  c.tiers[0].group_sizes = 0;
  c.tiers[0].bandwidth = BytesPerSecond(50e9);
  Group pair;
  pair.ranks = 2;
  pair.members = {1, 2, 2, 2, 2, 2};
  CHECK(us_by(Algorithm::direct, c, pair, Collective::point_to_point, 15e6) ==
        near(1 + 15e6 / 50e9 / kUs));
}

TEST_CASE("an all-to-all by tiers sends less often and more") {
  const Cluster c = round_cluster();
  // Inside 7/8 of S over each link, then what all eight send to three other nodes.
  const double wire = (7.0 / 8 * 32e6 / 100e9 + 8 * 0.75 * 32e6 / 80e9) / kUs;
  CHECK(tiered_us(c, group_over(4, 8), 32e6) == near(20 + 7 * 1 + 3 * 10 + wire));
  CHECK_FALSE(applies(Algorithm::hierarchical, c, group_over(4, 1), Collective::all_to_all));
  CHECK_FALSE(applies(Algorithm::hierarchical, c, group_over(1, 8), Collective::all_to_all));
}

TEST_CASE("an all-to-all by tiers takes a step for each other rack, not for its nodes") {
  const Cluster c = racks();
  // Bytes for three racks go over the nodes' cards as well, a quarter of them each.
  const double wire = (7.0 / 8 / 100e9 + 8 * 0.75 / 80e9 + 32 * 0.75 / 4 / 80e9) * 128e6 / kUs;
  CHECK(tiered_us(c, side_by_side(c, 128), 128e6) == near(40 + 7 * 1 + 3 * 10 + 3 * 30 + wire));
}

TEST_CASE("phases by tiers carry the load of the busiest rank's units") {
  const Cluster c = round_cluster();
  Group g = group_over(4, 8);
  g.busiest_rank = 4;
  const double node = (4 + 7 * 28.0 / 31) / 8;
  const double wire = (4 * 7.0 / 8 * 32e6 / 100e9 + node * 8 * 0.75 * 32e6 / 80e9) / kUs;
  CHECK(tiered_us(c, g, 32e6) == near(20 + 7 * 1 + 3 * 10 + wire));
}

TEST_CASE("phases by tiers take no less than the busiest rank's own card") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  Group g = group_over(4, 8);
  g.busiest_rank = 4;
  CHECK(tiered_us(c, g, 32e6) == near(20 + 7 * 1 + 3 * 10 + 4 * 24e6 / 10e9 / kUs));
}

TEST_CASE("ranks of a node post their messages one by one in a node of blocks") {
  Cluster c = two_quads();
  c.tier_count = 3;
  c.tiers[1].latency = Seconds(0.1 * kUs);
  c.tiers[2] = tier_of(TierKind::infiniband, 64, 80e9, 10, 20);
  c.gpus = 64;
  Group g = side_by_side(c, 16);
  // Three steps in the quad and four of 0.1 us are less than seven messages of 1 us.
  const double wire = (0.75 / 150e9 + 4 * 0.5 / 150e9 + 8 * 0.5 / 80e9) * 16e6 / kUs;
  CHECK(tiered_us(c, g, 16e6) == near(20 + 7 * 1 + 10 + wire));
}

TEST_CASE("the ranks of the last node send their own bytes over their own cards") {
  // Nine ranks on nodes of eight: what the one sends, 8/9 of its buffer, and what the eight send it
  // are alike, and go over one card of 10 GB/s.
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  const double wire = (7.0 / 8 * 9e6 / 100e9 + 8e6 / 10e9) / kUs;
  CHECK(tiered_us(c, side_by_side(c, 9), 9e6) == near(20 + 7 * 1 + 1 * 10 + wire));
  // Twelve: 4·8/12 of the buffer over four cards.
  const double four = (7.0 / 8 * 12e6 / 100e9 + 32e6 / 40e9) / kUs;
  CHECK(tiered_us(c, side_by_side(c, 12), 12e6) == near(20 + 7 * 1 + 1 * 10 + four));
}

TEST_CASE("an all-to-all reaches its own share of a tier's rate") {
  Cluster c = round_cluster();
  c.tiers[1].exchange_efficiency = 0.5;
  const Group g = group_over(8, 8);
  const double steps = 7 * 1 + 7 * 10;
  CHECK(direct_us(c, g, 64e6) == near(20 + steps + 8 * 56e6 / 40e9 / kUs));
  CHECK(tiered_us(c, g, 64e6) ==
        near(20 + steps + (7.0 / 8 * 64e6 / 100e9 + 8 * 56e6 / 40e9) / kUs));
  const auto ring = [&](const Cluster& of) {
    return us_by(Algorithm::ring, of, g, Collective::all_gather, 64e6);
  };
  CHECK(ring(c) == ring(round_cluster()));
}
