// SPDX-License-Identifier: Apache-2.0
// The bytes that must cross a link whatever the algorithm is, by hand for each collective.
#include "network/cut_bound.h"

#include <doctest/doctest.h>

#include "network/collective_cost.h"
#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

double bound_us(const Cluster& c, const Group& g, Collective kind, double bytes = 8e6) {
  return cut_bound(c, g, kind, Bytes(bytes)).si() / kUs;
}

// Nodes of eight GPUs of such fast links that only their cards bind.
Cluster bound_by_cards() {
  Cluster c = round_cluster();
  c.tiers[0].bandwidth = BytesPerSecond(1e15);
  return c;
}

}  // namespace

TEST_CASE("a rank alone needs no time") {
  const Cluster c = round_cluster();
  CHECK(cut_bound(c, group_over(1, 1), Collective::all_reduce, Bytes(8e6)) == Seconds());
  CHECK(bound_us(c, group_over(1, 2), Collective::all_reduce) == near(80));
}

TEST_CASE("each collective must bring its share of the buffer across a node's cards") {
  const Cluster c = bound_by_cards();
  const Group g = group_over(4, 8);
  CHECK(bound_us(c, g, Collective::all_reduce) == near(1.5 * 100));
  CHECK(bound_us(c, g, Collective::all_gather) == near(0.75 * 100));
  CHECK(bound_us(c, g, Collective::reduce_scatter) == near(0.75 * 100));
  CHECK(bound_us(c, g, Collective::all_to_all) == near(8 * 0.75 * 100));
  CHECK(bound_us(c, g, Collective::broadcast) == near(100));
  CHECK(bound_us(c, g, Collective::reduce) == near(100));
}

TEST_CASE("each collective must bring its share of the buffer across a GPU's link") {
  const Cluster c = round_cluster();
  const Group g = group_over(1, 8);
  CHECK(bound_us(c, g, Collective::all_reduce) == near(2 * 7.0 / 8 * 80));
  CHECK(bound_us(c, g, Collective::all_gather) == near(7.0 / 8 * 80));
  CHECK(bound_us(c, g, Collective::all_to_all) == near(7.0 / 8 * 80));
  CHECK(bound_us(c, g, Collective::broadcast) == near(80));
}

TEST_CASE("a switch that adds lets an all-reduce send its buffer once") {
  Cluster c = bound_by_cards();
  c.tiers[1].in_network_reduction = true;
  CHECK(bound_us(c, group_over(4, 8), Collective::all_reduce) == near(100));
  // A switch farther out adds for the links inside too.
  c = round_cluster();
  c.tiers[0].bandwidth = BytesPerSecond(10e9);
  CHECK(bound_us(c, group_over(4, 8), Collective::all_reduce) == near(2 * 31.0 / 32 * 800));
  c.tiers[1].in_network_reduction = true;
  CHECK(bound_us(c, group_over(4, 8), Collective::all_reduce) == near(800));
  // One that the group does not reach adds nothing.
  CHECK(bound_us(c, group_over(1, 8), Collective::all_reduce) == near(2 * 7.0 / 8 * 800));
}

TEST_CASE("the busiest rank of an all-to-all adds to its unit's bytes") {
  Group g = group_over(1, 8);
  g.busiest_rank = 2;
  CHECK(bound_us(round_cluster(), g, Collective::all_to_all) == near(2 * 70));
}

TEST_CASE("a link gives a group its share, its ranks' cards or those that are left") {
  Cluster c = bound_by_cards();
  CHECK(bound_us(c, group_over(4, 4, 2), Collective::all_gather) == near(2 * 75));
  c.tiers[1].rank_share = 1.0 / 8;
  CHECK(bound_us(c, group_over(4, 2), Collective::all_gather) == near(4 * 75));
  CHECK(bound_us(c, group_over(4, 2, 8), Collective::all_gather) == near(8 * 75));
  c.tiers[1].cards_failed = 1;
  CHECK(bound_us(c, group_over(4, 8), Collective::all_gather) == near(8.0 / 7 * 75));
}

TEST_CASE("the last node sends by its own cards what others need of it") {
  Cluster c = bound_by_cards();
  c.tiers[1].rank_share = 1.0 / 8;
  const Group g = side_by_side(c, 18);  // two ranks on the third node: 20 GB/s
  CHECK(bound_us(c, g, Collective::all_gather) == near(16.0 / 18 * 8e6 / 20e9 / kUs));
  CHECK(bound_us(c, g, Collective::all_reduce) == near(8e6 / 20e9 / kUs));
  CHECK(bound_us(c, g, Collective::all_to_all) == near(2 * 16.0 / 18 * 8e6 / 20e9 / kUs));
}

TEST_CASE("a message crosses the outermost tier and the cards on its way") {
  Cluster c = racks();
  Group pair;
  pair.ranks = 2;
  pair.members = {1, 1, 2, 2, 2, 2};
  CHECK(bound_us(c, pair, Collective::point_to_point) == near(100));
  c.tiers[1].bandwidth = BytesPerSecond(800e9);
  CHECK(bound_us(c, pair, Collective::point_to_point) == near(20));
  c.tiers[0].bandwidth = BytesPerSecond(1e9);
  CHECK(bound_us(c, pair, Collective::point_to_point) == near(20));
}

TEST_CASE("no algorithm beats the bound") {
  for (const Cluster& c : {round_cluster(), racks(), two_quads()}) {
    for (const std::int64_t ranks : {2, 3, 8, 18, 32, 50}) {
      if (ranks > c.gpus) continue;
      const Group g = side_by_side(c, ranks);
      for (const Collective kind : kAllOf<Collective>) {
        if (kind == Collective::point_to_point) continue;
        CAPTURE(ranks);
        CAPTURE(name_of(kind));
        for (const Algorithm a : algorithms_of(kind)) {
          if (!applies(a, c, g, kind)) continue;
          CHECK(collective_cost_by(a, c, g, kind, Bytes(8e6)).time >=
                cut_bound(c, g, kind, Bytes(8e6)) * (1 - 1e-12));
        }
      }
    }
  }
}
