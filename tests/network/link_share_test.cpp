// SPDX-License-Identifier: Apache-2.0
// The share of a link that a group gets, and a collective's time added up over tiers.
#include <doctest/doctest.h>

#include <cmath>

#include "network/clock.h"
#include "network/phases.h"
#include "network/recursive.h"
#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr BytesPerSecond kGigabyte(1e9);

// GB/s that a child of `ranks` ranks of this group gets of its link into tier 1, 80 GB/s.
double share(const Cluster& c, const Group& g, std::int64_t ranks, double efficiency = 1,
             double most = 1) {
  const Child child{ranks, c.tiers[1].bandwidth};
  return link_share<double>(c, g, 1, child, efficiency, most) / kGigabyte;
}

}  // namespace

TEST_CASE("groups share a link equally, at its efficiency") {
  const Cluster c = round_cluster();
  CHECK(share(c, group_over(4, 8), 8) == near(80));
  CHECK(share(c, group_over(4, 8), 8, 0.5) == near(40));
  CHECK(share(c, group_over(4, 2, 4), 2) == near(20));
  CHECK(share(c, group_over(4, 2, 4), 2, 0.5) == near(10));
}

TEST_CASE("ranks fill their own cards, and no group gets more for what others leave") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  CHECK(share(c, group_over(4, 2, 1), 2) == near(20));
  CHECK(share(c, group_over(4, 2, 2), 2) == near(20));
  CHECK(share(c, group_over(4, 2, 4), 2) == near(20));
  CHECK(share(c, group_over(4, 2, 8), 2) == near(10));
  CHECK(share(c, group_over(4, 8, 1), 8) == near(80));
  CHECK(share(c, group_over(4, 2, 1), 2, 0.5) == near(10));
}

TEST_CASE("a group fills no more than its channels reach") {
  const Cluster c = round_cluster();
  CHECK(share(c, group_over(4, 8, 1), 8, 1, 0.5) == near(40));
  CHECK(share(c, group_over(4, 4, 2), 4, 1, 0.5) == near(40));
  CHECK(share(c, group_over(4, 2, 4), 2, 1, 0.5) == near(20));
}

TEST_CASE("training takes a fabric's rate down, not a switch's") {
  const Cluster c = round_cluster();
  Group g = group_over(4, 8);
  g.fabric_share = 0.5;
  CHECK(share(c, g, 8) == near(40));
  CHECK(share(c, g, 8, 0.5) == near(20));
  const Child gpu{1, c.tiers[0].bandwidth};
  CHECK(link_share<double>(c, g, 0, gpu, 1) / kGigabyte == near(100));
}

TEST_CASE("the least share is that of the last child") {
  Cluster c = round_cluster();
  c.tiers[1].rank_share = 1.0 / 8;
  c.tiers[1].channel_share = 1.0 / 16;
  const Group g = side_by_side(c, 18);
  const Fold f = fold(c, g, 18);
  CHECK(link_share<double>(c, g, f, 1, 1.0) / kGigabyte == near(20));
  CHECK(channels_share<double>(c, g, f, 1, 1.0) / kGigabyte == near(5));
}

TEST_CASE("steps add up over tiers, while wires, launches and ramps only count where largest") {
  Cluster c = round_cluster();
  c.tiers[0].ramp = Seconds(16 * kUs);
  c.tiers[1].ramp = Seconds(9 * kUs);
  Clock<double> clock;
  pass_tier(clock, c, 0, 7, Seconds(100 * kUs));
  pass_tier(clock, c, 1, 3, Seconds(25 * kUs));
  CHECK(clock.latency.si() / kUs == near(7 * 1 + 3 * 10));
  CHECK(clock.wire.si() / kUs == near(100));
  CHECK(clock.launch.si() / kUs == near(20));
  CHECK(clock.ramp.si() / kUs == near(16));
  // launch + latency + w + √(ramp·w)
  CHECK(total(clock).si() / kUs == near(20 + 37 + 100 + 40));
}

TEST_CASE("a recorded maximum leaves out what has not been counted yet") {
  Tape tape;
  const Recording recording(tape);
  const auto none = SecondsOf<Traced>();
  const auto one = lift<Traced>(Seconds(1), {"one"});
  const auto two = lift<Traced>(Seconds(2), {"two"});
  const std::size_t before = tape.nodes.size();
  CHECK(plain(raised(none, one)) == Seconds(1));
  CHECK(tape.nodes.size() == before);
  CHECK(plain(raised(one, two)) == Seconds(2));
  CHECK(plain(raised(two, one)) == Seconds(2));
  CHECK(tape.nodes.size() == before + 2);
}

// Bytes that leave a node go over its cards, and an eighth of them over each GPU's own link.
TEST_CASE("a phase binds at the slowest link on its way") {
  Cluster c = round_cluster();
  const Group g = group_over(4, 8);
  const Fold f = fold(c, g, 32);
  CHECK(phase_wire<double>(c, g, f, 1, Bytes(8e6)).si() / kUs == near(100));
  c.tiers[0].bandwidth = BytesPerSecond(5e9);  // 1e6 bytes of each GPU
  CHECK(phase_wire<double>(c, g, f, 1, Bytes(8e6)).si() / kUs == near(200));
  CHECK(phase_wire<double>(c, g, f, 0, Bytes(1e6)).si() / kUs == near(200));
  // Where a group has one rank a node, its link inside is not used.
  const Group thin = group_over(4, 1);
  CHECK(phase_wire<double>(c, thin, fold(c, thin, 4), 1, Bytes(8e6)).si() / kUs == near(100));
}

TEST_CASE("a phase between racks passes the cards of their nodes") {
  Cluster c = racks();
  const Group g = side_by_side(c, 128);
  const Fold f = fold(c, g, 128);
  // 400 GB/s of the rack are more than 4 × 80 of its nodes.
  CHECK(phase_wire<double>(c, g, f, 2, Bytes(32e6)).si() / kUs == near(8e6 / 80e9 / kUs));
  c.tiers[1].bandwidth = BytesPerSecond(200e9);
  CHECK(phase_wire<double>(c, g, f, 2, Bytes(32e6)).si() / kUs == near(32e6 / 400e9 / kUs));
}

TEST_CASE("phases by tier need a fabric and several ranks behind a card") {
  const Cluster c = round_cluster();
  const auto joins = [&](const Group& g) { return has_ranks_to_join(c, fold(c, g, g.ranks)); };
  CHECK(joins(group_over(4, 8)));
  CHECK(joins(group_over(2, 2)));
  CHECK_FALSE(joins(group_over(4, 1)));
  CHECK_FALSE(joins(group_over(1, 8)));
  // A cluster of single GPUs has no tier inside.
  Cluster flat;
  flat.tier_count = 1;
  flat.tiers[0] = tier_of(TierKind::ethernet, 8, 1e9, 1, 1);
  flat.gpus = 8;
  const Group g = side_by_side(flat, 8);
  CHECK_FALSE(has_ranks_to_join(flat, fold(flat, g, 8)));
}

TEST_CASE("no order of phases beats (n − 1)/n of the buffer over the slowest link") {
  Cluster c = racks();
  const Group g = side_by_side(c, 128);
  const Fold f = fold(c, g, 128);
  const auto least = [&](Collective kind) {
    return least_wire<double>(c, g, f, kind, Bytes(128e6)).si() / kUs;
  };
  CHECK(least(Collective::all_gather) == near(127e6 / 80e9 / kUs));
  CHECK(least(Collective::all_reduce) == near(2 * 127e6 / 80e9 / kUs));
}
