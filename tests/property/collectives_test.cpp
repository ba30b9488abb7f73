// SPDX-License-Identifier: Apache-2.0
// Properties of every collective, on any cluster and group.
#include <doctest/doctest.h>

#include <array>

#include "network/algorithms.h"
#include "network/collective_cost.h"
#include "network/cut_bound.h"
#include "property/random_cluster.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr int kTrials = 20000;
constexpr double kNearlyNone = 1e-12;

template <class Row>
bool is_had(Row /*row*/, Algorithm a, CollectiveLibrary l) {
  return Row::Implementation::id == a && Row::Implementation::has(l);
}

bool has(CollectiveLibrary l, Algorithm a) {
  return std::apply([&](auto... rows) { return (is_had(rows, a, l) || ...); }, kAlgorithms);
}

// 0 stands for none.
template <class Check>
void for_every_algorithm(Check check) {
  for (std::size_t i = 1; i < kCountOf<Algorithm>; ++i) check(static_cast<Algorithm>(i));
}

struct Case {
  Cluster cluster;
  std::array<std::int64_t, kMaxTiers> children;
  Group group;
  Collective kind;
  Bytes bytes;
};

Case random_case(Dice& dice) {
  Case x;
  x.cluster = random_cluster(dice);
  x.children = random_children(dice, x.cluster);
  x.group = group_of(x.cluster, x.children);
  x.group.sharers = random_sharers(dice);
  x.kind = static_cast<Collective>(dice.integer(0, kCountOf<Collective> - 1));
  x.bytes = Bytes(dice.magnitude(1, 1e11));
  return x;
}

Seconds time_of(const Case& x) { return collective_cost(x.cluster, x.group, x.kind, x.bytes).time; }

bool not_below(Seconds a, Seconds b) { return a >= b * (1 - kNearlyNone); }

template <class Check>
void for_any_case(std::uint64_t seed, Check check) {
  Dice dice(seed);
  for (int i = 0; i < kTrials; ++i) {
    const Case x = random_case(dice);
    CAPTURE(i);
    CAPTURE(name_of(x.kind));
    CAPTURE(x.group.ranks);
    check(x, dice);
  }
}

}  // namespace

TEST_CASE("no algorithm beats the cut bound") {
  for_any_case(1, [](const Case& x, Dice&) {
    const Seconds bound = cut_bound(x.cluster, x.group, x.kind, x.bytes);
    for_every_algorithm([&](Algorithm a) {
      if (!applies(a, x.cluster, x.group, x.kind)) return;
      CAPTURE(name_of(a));
      const auto cost = collective_cost_by(a, x.cluster, x.group, x.kind, x.bytes);
      REQUIRE(not_below(cost.time, bound));
    });
  });
}

TEST_CASE("the fastest algorithm the library has is taken") {
  for_any_case(2, [](const Case& x, Dice&) {
    const auto cost = collective_cost(x.cluster, x.group, x.kind, x.bytes);
    if (x.group.ranks == 1) return;
    REQUIRE(applies(cost.algorithm, x.cluster, x.group, x.kind));
    REQUIRE(has(x.cluster.library, cost.algorithm));
    for_every_algorithm([&](Algorithm a) {
      if (!has(x.cluster.library, a) || !applies(a, x.cluster, x.group, x.kind)) return;
      REQUIRE(collective_cost_by(a, x.cluster, x.group, x.kind, x.bytes).time >= cost.time);
    });
  });
}

TEST_CASE("time never falls with size") {
  for_any_case(3, [](const Case& x, Dice& dice) {
    Case larger = x;
    larger.bytes = x.bytes * dice.magnitude(1.0001, 100);
    REQUIRE(not_below(time_of(larger), time_of(x)));
  });
}

TEST_CASE("time never falls with more nodes of the same kind") {
  for_any_case(4, [](const Case& x, Dice& dice) {
    if (x.cluster.tier_count < 2 || x.kind == Collective::point_to_point) return;
    Case more = x;
    const std::size_t last = x.cluster.tier_count - 1U;
    more.children[last] += dice.integer(1, 3);
    more.group = group_of(x.cluster, more.children);
    more.group.sharers = x.group.sharers;
    const auto in_switch = [](const Case& c) {
      return applies(Algorithm::in_switch, c.cluster, c.group, c.kind);
    };
    // NCCL reduces in the switch of a node from three ranks on, which two may envy.
    if (x.group.ranks == 2 && !in_switch(x) && in_switch(more)) return;
    REQUIRE(not_below(time_of(more), time_of(x)));
  });
}

TEST_CASE("no algorithm takes less for more bytes") {
  for_any_case(9, [](const Case& x, Dice& dice) {
    const Bytes more = x.bytes * dice.magnitude(1.0001, 100);
    for_every_algorithm([&](Algorithm a) {
      if (!applies(a, x.cluster, x.group, x.kind)) return;
      CAPTURE(name_of(a));
      REQUIRE(not_below(collective_cost_by(a, x.cluster, x.group, x.kind, more).time,
                        collective_cost_by(a, x.cluster, x.group, x.kind, x.bytes).time));
    });
  });
}

TEST_CASE("a library with fewer algorithms is never faster") {
  for_any_case(10, [](const Case& x, Dice&) {
    Case all = x;
    all.cluster.library = CollectiveLibrary::any;
    REQUIRE(time_of(all) <= time_of(x));
  });
}

TEST_CASE("a group that shares with nobody costs what it costs alone") {
  for_any_case(11, [](const Case& x, Dice& dice) {
    Case alone = x;
    alone.group.sharers.fill(1);
    Case shared = alone;
    // Links nobody else uses: those of tiers the group does not reach.
    const Fold f = fold(x.cluster, x.group, std::max<std::int64_t>(x.group.ranks, 2));
    for (std::size_t i = f.outermost + 1; i < kMaxTiers; ++i) {
      shared.group.sharers[i] = dice.integer(2, 16);
    }
    REQUIRE(time_of(alone) == time_of(shared));
    REQUIRE(not_below(time_of(x), time_of(alone)));
  });
}

TEST_CASE("ranks that fill the cards of their node pay what a node without cards counted pays") {
  for_any_case(12, [](const Case& x, Dice&) {
    Case counted = x;
    Case uncounted = x;
    for (std::size_t i = 0; i < kMaxTiers; ++i) {
      counted.cluster.tiers[i].rank_share = 1 / static_cast<double>(members_below(x.group, i));
      uncounted.cluster.tiers[i].rank_share = 1;
    }
    REQUIRE(time_of(counted).si() == testing::about(time_of(uncounted).si()).epsilon(1e-12));
  });
}

TEST_CASE("an uneven all-to-all is never faster, and even where the factor is 1") {
  for_any_case(13, [](const Case& x, Dice& dice) {
    if (x.group.ranks == 1) return;
    Case uneven = x;
    uneven.kind = Collective::all_to_all;
    Case even = uneven;
    uneven.group.busiest_rank = dice.real(1, static_cast<double>(x.group.ranks));
    REQUIRE(not_below(time_of(uneven), time_of(even)));
    REQUIRE(
        not_below(time_of(uneven), cut_bound(x.cluster, uneven.group, uneven.kind, uneven.bytes)));
  });
}

TEST_CASE("time is zero only for one rank or no bytes") {
  for_any_case(5, [](const Case& x, Dice&) {
    REQUIRE((time_of(x) == Seconds()) == (x.group.ranks == 1));
    const auto nothing = collective_cost(x.cluster, x.group, x.kind, Bytes());
    REQUIRE(nothing.time == Seconds());
    REQUIRE(nothing.algorithm == Algorithm::none);
  });
}

TEST_CASE("more bandwidth never hurts, fewer sharers neither") {
  for_any_case(6, [](const Case& x, Dice& dice) {
    Case better = x;
    const auto i = static_cast<std::size_t>(dice.integer(0, x.cluster.tier_count - 1));
    Tier& t = better.cluster.tiers[i];
    const double gain = dice.magnitude(1, 10);
    t.bandwidth = t.bandwidth * gain;
    for (auto& entry : t.group_bandwidth) entry.bandwidth = entry.bandwidth * gain;
    better.group.sharers[i] = dice.integer(1, x.group.sharers[i]);
    REQUIRE(not_below(time_of(x), time_of(better)));
  });
}

TEST_CASE("a rank puts the published volumes on the wire") {
  for_any_case(7, [](const Case& x, Dice&) {
    if (x.group.ranks == 1) return;
    const auto n = static_cast<double>(x.group.ranks);
    const auto cost = collective_cost(x.cluster, x.group, x.kind, x.bytes);
    const double passes = x.kind == Collective::all_reduce ? 2 : 1;
    const double part = x.kind == Collective::point_to_point ? 1 : passes * (n - 1) / n;
    REQUIRE(cost.bytes_per_rank.si() == testing::about(part * x.bytes.si()).epsilon(1e-15));
  });
}

TEST_CASE("a traced collective equals the plain one and its own tree") {
  for_any_case(8, [](const Case& x, Dice&) {
    Tape tape;
    const Recording recording(tape);
    const auto bytes = lift<Traced>(x.bytes, {"bytes", ""});
    const auto plainly = collective_cost(x.cluster, x.group, x.kind, x.bytes);
    const auto traced = collective_cost(x.cluster, x.group, x.kind, bytes);
    REQUIRE(plain(traced.time) == plainly.time);
    REQUIRE(plain(traced.bytes_per_rank) == plainly.bytes_per_rank);
    REQUIRE(traced.algorithm == plainly.algorithm);
    REQUIRE(traced.tier == plainly.tier);
    if (x.group.ranks == 1) return;
    REQUIRE(evaluate_again(tape, traced.time.si().node) == plainly.time.si());
    REQUIRE(evaluate_again(tape, traced.bytes_per_rank.si().node) == plainly.bytes_per_rank.si());
  });
}
