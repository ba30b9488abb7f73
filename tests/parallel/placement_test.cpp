// SPDX-License-Identifier: Apache-2.0
//
// Groups by strides against groups of explicit ranks.
#include "parallel/placement.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "parallel/strategy.h"

using namespace orrery;

namespace {

using Ranks = std::vector<std::int64_t>;

TierSizes tiers_of(std::initializer_list<std::int64_t> sizes) {
  TierSizes tiers;
  tiers.count = sizes.size();
  std::copy(sizes.begin(), sizes.end(), tiers.devices.begin());
  return tiers;
}

// A rank's place in every dimension, in the order of Dim.
using Place = std::array<std::int64_t, 5>;

Place place_of(std::int64_t rank, const RankOrder& order, const Place& sizes) {
  Place place{};
  for (const Dim d : order) {
    const auto i = static_cast<std::size_t>(d);
    place[i] = rank % sizes[i];
    rank /= sizes[i];
  }
  return place;
}

// All groups whose members differ in the dimensions `dims` only.
std::vector<Ranks> explicit_groups(std::int64_t world, const RankOrder& order, const Place& sizes,
                                   const std::set<Dim>& dims) {
  std::map<Place, Ranks> groups;
  for (std::int64_t rank = 0; rank < world; ++rank) {
    Place key = place_of(rank, order, sizes);
    for (const Dim d : dims) key[static_cast<std::size_t>(d)] = 0;
    groups[key].push_back(rank);
  }
  std::vector<Ranks> all;
  for (auto& [key, ranks] : groups) all.push_back(ranks);
  return all;
}

std::int64_t fullest_unit(const Ranks& ranks, std::int64_t unit) {
  std::map<std::int64_t, std::int64_t> count;
  std::int64_t most = 0;
  for (const std::int64_t r : ranks) most = std::max(most, ++count[r / unit]);
  return most;
}

// Groups that have members both in a child and outside it, for the child with the most of them.
std::int64_t groups_through_one_link(const std::vector<Ranks>& groups, std::int64_t child,
                                     std::int64_t unit) {
  std::map<std::int64_t, std::int64_t> through;
  for (const Ranks& ranks : groups) {
    std::map<std::int64_t, std::set<std::int64_t>> children_of_unit;
    for (const std::int64_t r : ranks) children_of_unit[r / unit].insert(r / child);
    for (const auto& [u, children] : children_of_unit) {
      if (children.size() < 2) continue;
      for (const std::int64_t c : children) ++through[c];
    }
  }
  std::int64_t most = 1;
  for (const auto& [child_id, n] : through) most = std::max(most, n);
  return most;
}

Group folded_by_hand(const std::vector<Ranks>& groups, const TierSizes& tiers) {
  Group g;
  g.ranks = static_cast<std::int64_t>(groups.front().size());
  g.members.fill(g.ranks);
  for (std::size_t i = 0; i < tiers.count; ++i) {
    std::int64_t least = g.ranks;
    for (const Ranks& ranks : groups) {
      least = std::min(least, fullest_unit(ranks, tiers.devices[i]));
    }
    g.members[i] = least;
    if (i > 0) {
      g.sharers[i] = groups_through_one_link(groups, tiers.devices[i - 1], tiers.devices[i]);
    }
  }
  return g;
}

void check_same(const Group& found, const Group& expected, std::size_t tiers) {
  CHECK(found.ranks == expected.ranks);
  for (std::size_t i = 0; i < tiers; ++i) {
    CHECK(found.members[i] == expected.members[i]);
    CHECK(found.sharers[i] == expected.sharers[i]);
  }
}

const std::vector<RankOrder> kOrders = {
    kDefaultOrder,
    {Dim::tp, Dim::cp, Dim::ep, Dim::pp, Dim::dp},
    {Dim::tp, Dim::pp, Dim::dp, Dim::cp, Dim::ep},
    {Dim::dp, Dim::ep, Dim::tp, Dim::cp, Dim::pp},
    {Dim::pp, Dim::ep, Dim::dp, Dim::cp, Dim::tp},
};

Strategy random_powers_of_two(std::mt19937& random, std::int64_t world) {
  Strategy s;
  std::vector<std::int64_t*> dense = {&s.tp, &s.cp, &s.dp, &s.pp};
  for (std::int64_t left = world; left > 1; left /= 2) *dense[random() % dense.size()] *= 2;
  for (std::int64_t left = s.tp * s.cp * s.dp; left > 1; left /= 2) {
    const auto to = random() % 3;
    if (to == 0) s.ep *= 2;
    if (to == 1) s.etp *= 2;
  }
  s.order = kOrders[random() % kOrders.size()];
  return s;
}

void check_all_groups(const Strategy& s, const TierSizes& tiers) {
  const std::int64_t world = world_size(s);
  const Place dense = {s.tp, s.cp, 1, s.dp, s.pp};
  const Place expert = {s.etp, 1, s.ep, expert_dp(s), s.pp};
  const auto by_hand = [&](const Place& sizes, const std::set<Dim>& dims) {
    return folded_by_hand(explicit_groups(world, s.order, sizes, dims), tiers);
  };
  const Placement p = place(s, tiers);
  check_same(p.tp, by_hand(dense, {Dim::tp}), tiers.count);
  check_same(p.cp, by_hand(dense, {Dim::cp}), tiers.count);
  check_same(p.dp, by_hand(dense, {Dim::dp}), tiers.count);
  check_same(p.dp_cp, by_hand(dense, {Dim::dp, Dim::cp}), tiers.count);
  check_same(p.ep, by_hand(expert, {Dim::ep}), tiers.count);
  check_same(p.etp, by_hand(expert, {Dim::tp}), tiers.count);
  check_same(p.etp_ep, by_hand(expert, {Dim::tp, Dim::ep}), tiers.count);
  check_same(p.edp, by_hand(expert, {Dim::dp}), tiers.count);
}

std::size_t tier_joining(std::int64_t a, std::int64_t b, const TierSizes& tiers) {
  std::size_t i = 0;
  while (a / tiers.devices[i] != b / tiers.devices[i]) ++i;
  return i;
}

}  // namespace

TEST_CASE("groups by strides are those of explicit ranks where sizes are powers of two") {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Strategy s = random_powers_of_two(random, 128);
    check_all_groups(s, tiers_of({8, 128}));
    check_all_groups(s, tiers_of({2, 8, 32, 128}));
  }
}

TEST_CASE("groups by strides are those of explicit ranks on units of other sizes") {
  Strategy s;
  s.tp = 4;
  s.cp = 3;
  s.dp = 6;
  s.pp = 2;
  s.etp = 2;
  s.ep = 6;
  check_all_groups(s, tiers_of({12, 144}));
  check_all_groups(s, tiers_of({4, 72, 144}));
  check_all_groups(s, tiers_of({72, 144}));
}

TEST_CASE("a group that node edges tear apart is not taken for whole") {
  Strategy s;
  s.tp = 6;
  s.dp = 4;
  // 0-5 | 6 7 + 8-11 | 12-15 + 16 17 | 18-23: two groups cross the edge of a node, 2 + 4.
  const TierSizes tiers = tiers_of({8, 24});
  const Place sizes = {s.tp, s.cp, 1, s.dp, s.pp};
  const Placement p = place(s, tiers);
  check_same(p.tp, folded_by_hand(explicit_groups(24, s.order, sizes, {Dim::tp}), tiers), 2);
  CHECK(p.tp.members[0] == 4);
  CHECK(p.tp.sharers[1] == 2);
  // 0 6 | 12 | 18: most nodes hold one.
  CHECK(p.dp.members[0] == 1);
}

TEST_CASE("a run smaller than a unit is inside it") {
  Strategy s;
  s.tp = 6;
  const Placement p = place(s, tiers_of({8, 64}));
  CHECK(p.tp.members[0] == 6);
  CHECK(p.tp.sharers[1] == 1);
}

TEST_CASE("all NICs of a node are shared by the data-parallel groups of its GPUs") {
  Strategy s;
  s.tp = 8;
  s.pp = 8;
  s.dp = 16;
  const Placement p = place(s, tiers_of({8, 1024}));
  CHECK(p.tp.members[0] == 8);
  CHECK(p.dp.members[0] == 1);
  CHECK(p.dp.sharers[1] == 8);
}

TEST_CASE("shard groups are the nearest ranks and replicas join equal shards") {
  Strategy s;
  s.tp = 2;
  s.dp = 32;
  const TierSizes tiers = tiers_of({8, 64});
  const Group shard = data_subgroup(s, tiers, 1, 4);
  CHECK(shard.ranks == 4);
  CHECK(shard.members[0] == 4);
  const Group replicas = data_subgroup(s, tiers, 4, 32);
  CHECK(replicas.ranks == 8);
  CHECK(replicas.members[0] == 1);
  CHECK(replicas.sharers[1] == 8);
  CHECK(data_subgroup(s, tiers, 1, 32) == place(s, tiers).dp_cp);
  CHECK(data_subgroup(s, tiers, 4, 4) == Group{});
}

TEST_CASE("shard groups cross from context into data parallelism") {
  Strategy s;
  s.tp = 2;
  s.cp = 4;
  s.dp = 6;
  s.order = {Dim::tp, Dim::cp, Dim::pp, Dim::ep, Dim::dp};
  s.pp = 2;  // between cp and dp: two digits
  const TierSizes tiers = tiers_of({8, 96});
  const Group shard = data_subgroup(s, tiers, 1, 12);
  CHECK(shard.ranks == 12);
  CHECK(shard.members[0] == 4);
  CHECK(data_subgroup(s, tiers, 12, 24).ranks == 2);
}

TEST_CASE("experts are sharded within their own replicas") {
  Strategy s;
  s.dp = 32;
  s.ep = 8;
  const TierSizes tiers = tiers_of({8, 32});
  CHECK(expert_subgroup(s, tiers, 1, 4) == place(s, tiers).edp);
  CHECK(expert_subgroup(s, tiers, 1, 4).members[0] == 1);
}

TEST_CASE("pipeline neighbours meet at the tier of explicit ranks") {
  std::mt19937 random(11);
  const TierSizes tiers = tiers_of({2, 8, 32, 128});
  for (int i = 0; i < 300; ++i) {
    const Strategy s = random_powers_of_two(random, 128);
    if (s.pp == 1) continue;
    const Place sizes = {s.tp, s.cp, 1, s.dp, s.pp};
    for (std::int64_t from = 0; from < s.pp; ++from) {
      std::size_t farthest = 0;
      for (const Ranks& ranks : explicit_groups(128, s.order, sizes, {Dim::pp})) {
        const auto at = static_cast<std::size_t>(from);
        const std::size_t to = (at + 1) % ranks.size();
        farthest = std::max(farthest, tier_joining(ranks[at], ranks[to], tiers));
      }
      CHECK(pipeline_tier(s, tiers, from) == farthest);
    }
  }
}

TEST_CASE("some pipeline sends stay in a node and some leave it") {
  Strategy s;
  s.tp = 4;
  s.pp = 4;
  const TierSizes tiers = tiers_of({8, 16});
  CHECK(pipeline_tier(s, tiers, 0) == 0);
  CHECK(pipeline_tier(s, tiers, 1) == 1);
  CHECK(pipeline_tier(s, tiers, 2) == 0);
  CHECK(pipeline_tier(s, tiers, 3) == 1);  // back to the first stage
  const Group out = pipeline_pair(s, tiers, 1);
  CHECK(out.ranks == 2);
  CHECK(out.members[0] == 1);
  CHECK(out.members[1] == 2);
  CHECK(out.sharers[1] == 4);
}
