// SPDX-License-Identifier: Apache-2.0
// The small facts that others ask of a strategy, a profile, a codec and what a rank holds.
#include <doctest/doctest.h>

#include <vector>

#include "core/fact.h"
#include "network/codec.h"
#include "parallel/compression.h"
#include "parallel/framework.h"
#include "parallel/parameters_held.h"
#include "parallel/partition.h"
#include "parallel/rank_digits.h"
#include "parallel/rules_terms.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

// tp 2, cp 2, ep 4 and dp 8 in four stages: 128 ranks, of which 32 a stage.
Strategy many_ranks() {
  Strategy s;
  s.tp = 2;
  s.cp = 2;
  s.ep = 4;
  s.etp = 2;
  s.dp = 8;
  s.pp = 4;
  return s;
}

}  // namespace

TEST_CASE("the world is every stage's ranks, and experts have what ep and etp leave of them") {
  CHECK(world_size(many_ranks()) == 128);
  CHECK(expert_dp(many_ranks()) == 4);
  CHECK(expert_sizes(many_ranks())[Dim::dp] == 4);
  CHECK(expert_sizes(many_ranks())[Dim::cp] == 1);
  CHECK(dense_sizes(many_ranks())[Dim::ep] == 1);
}

TEST_CASE("a level of ZeRO is that of the innermost states that are sharded") {
  CHECK(nearest_zero({1, 1, 1}) == 0);
  CHECK(nearest_zero({1, 1, 8}) == 1);
  CHECK(nearest_zero({1, 8, 8}) == 2);
  CHECK(nearest_zero({8, 8, 8}) == 3);
  CHECK(nearest_zero({2, 1, 1}) == 3);
}

TEST_CASE("offload reaches a place with any of the things that it moves") {
  Offload o;
  CHECK_FALSE(offloads_to(o, &OffloadPlace::host_memory));
  CHECK_FALSE(offloads_to(o, &OffloadPlace::drives));
  for (OffloadTarget Offload::*part :
       {&Offload::optimizer, &Offload::parameters, &Offload::activations}) {
    o = {};
    o.*part = OffloadTarget::host;
    CHECK(offloads_to(o, &OffloadPlace::host_memory));
    CHECK_FALSE(offloads_to(o, &OffloadPlace::drives));
    o.*part = OffloadTarget::nvme;
    CHECK_FALSE(offloads_to(o, &OffloadPlace::host_memory));
    CHECK(offloads_to(o, &OffloadPlace::drives));
  }
}

TEST_CASE("full recompute of some layers is a choice of its own") {
  Strategy s;
  for (const Recompute r : {Recompute::none, Recompute::selective, Recompute::full}) {
    s.recompute = r;
    CHECK(recompute_choice(s) == static_cast<RecomputeChoice>(r));
  }
  s.recompute_layers = 1;
  CHECK(recompute_choice(s) == RecomputeChoice::layers);
  s.recompute = Recompute::selective;
  CHECK(recompute_choice(s) == RecomputeChoice::selective);
  CHECK(recomputed_modules(s) == mask_of(Module::core_attn));
  s.recompute = Recompute::full;
  CHECK(recomputed_modules(s) == 0);
}

TEST_CASE("a framework has the recompute of its choices, some of one layer in n") {
  Framework f;
  CHECK(has_recompute(f, RecomputeChoice::layers));
  f.recompute.choices = mask_of(RecomputeChoice::full);
  CHECK(has_recompute(f, RecomputeChoice::full));
  CHECK_FALSE(has_recompute(f, RecomputeChoice::none));
  CHECK(has_recompute_of(f, 7, 12));
  f.recompute.one_in_n = true;
  CHECK(has_recompute_of(f, 6, 12));
  CHECK_FALSE(has_recompute_of(f, 7, 12));
}

// Every n-th layer of a chunk: n of 12 are 6, 4, 3, 2 and 1.
TEST_CASE("one layer in n is that many of a chunk") {
  CHECK(one_in(6, 12) == 2);
  CHECK(one_in(4, 12) == 3);
  CHECK(one_in(2, 12) == 6);
  CHECK(one_in(1, 12) == 12);
  CHECK(one_in(5, 12) == 0);
  CHECK(one_in(7, 12) == 0);
  CHECK(one_in(12, 12) == 0);
  CHECK(one_in(0, 12) == 0);
  CHECK(one_in(3, 13) == 4);
}

TEST_CASE("states are exchanged in every micro batch by what is sharded and kept") {
  Strategy s;
  Framework f;
  const auto exchanged = [&] {
    return std::vector<bool>{gathers_every_micro_batch(s, f), reduces_every_micro_batch(s, f),
                             sums_replicas_every_micro_batch(s, f)};
  };
  CHECK(exchanged() == std::vector<bool>{false, false, false});
  s.partition = {1, 1, 8};
  CHECK(exchanged() == std::vector<bool>{false, false, false});
  s.partition = {1, 8, 8};
  CHECK(exchanged() == std::vector<bool>{false, true, false});
  s.partition = {8, 8, 8};
  CHECK(exchanged() == std::vector<bool>{true, true, false});
  f.gradients.replicas_every_micro_batch = true;
  CHECK(exchanged() == std::vector<bool>{true, true, true});
  // Weights that stay gathered in a pipeline are so where there is one.
  f.gathers.kept = mask_of(KeptGathered::pipeline);
  CHECK(exchanged() == std::vector<bool>{true, true, true});
  s.pp = 2;
  CHECK(exchanged() == std::vector<bool>{false, false, false});
}

TEST_CASE("a codec that is on and not lossless is lossy") {
  Codec c;
  CHECK_FALSE(is_lossy(c));
  c.ratio = 2;
  CHECK(is_lossy(c));
  c.lossless = true;
  CHECK_FALSE(is_lossy(c));
  Compression all;
  CHECK_FALSE(compresses(all));
  all.of(CommDimension::tp, Collective::all_gather).ratio = 2;
  CHECK(compresses(all));
  CHECK(compresses(all, CommDimension::tp, Collective::all_gather));
  CHECK_FALSE(compresses(all, CommDimension::tp, Collective::all_reduce));
}

TEST_CASE("a value is assumed where it stands in the list under its path") {
  const std::vector<Fact> list = {{"parallel.tp", "1", "default"}};
  CHECK(is_assumed(list, "parallel.tp"));
  CHECK_FALSE(is_assumed(list, "parallel"));
  CHECK_FALSE(is_assumed({}, "parallel.tp"));
}

TEST_CASE("what ranks hold adds up, and the largest is the largest of each part") {
  const FixedWeights fixed{3, Bytes(5), Bytes(7), Bytes(9)};
  const UpdateWork work{Bytes(11), Seconds(13), Seconds(2)};
  const ParametersHeld one{100, 10, fixed, fixed, work, work};
  ParametersHeld sum = one;
  sum += 2 * one;
  CHECK(sum.dense == 300);
  CHECK(sum.expert == 30);
  for (const FixedWeights& f : {sum.fixed_dense, sum.fixed_expert}) {
    CHECK(f == FixedWeights{9, Bytes(15), Bytes(21), Bytes(27)});
  }
  for (const UpdateWork& u : {sum.update_dense, sum.update_expert}) {
    CHECK(u == UpdateWork{Bytes(33), Seconds(39), Seconds(2)});
  }
  CHECK((0 * one).update_dense.largest == Seconds());
  const ParametersHeld other{50, 20, {9, Bytes(1), Bytes(8), Bytes(1)}, {}, work, work};
  const ParametersHeld most = larger_of(one, other);
  CHECK(most.dense == 100);
  CHECK(most.expert == 20);
  CHECK(most.fixed_dense == FixedWeights{9, Bytes(5), Bytes(8), Bytes(9)});
  CHECK(most.fixed_expert == fixed);
  CHECK(most.update_dense == UpdateWork{});
}

TEST_CASE("the largest product of two updates is the larger one") {
  UpdateWork a{Bytes(1), Seconds(1), Seconds(3)};
  a += {Bytes(2), Seconds(4), Seconds(2)};
  CHECK(a == UpdateWork{Bytes(3), Seconds(5), Seconds(3)});
  a += {Bytes(0), Seconds(0), Seconds(9)};
  CHECK(a.largest == Seconds(9));
}

TEST_CASE("held, fixed and updated parameters are of their kind") {
  ParametersHeld p;
  p.dense = 1;
  p.expert = 2;
  p.fixed_expert.count = 3;
  p.update_expert.states = Bytes(4);
  CHECK(held(p, ShardedStates::dense) == 1);
  CHECK(held(p, ShardedStates::expert) == 2);
  CHECK(fixed(p, ShardedStates::dense).count == 0);
  CHECK(fixed(p, ShardedStates::expert).count == 3);
  CHECK(update(p, ShardedStates::dense).states == Bytes());
  CHECK(update(p, ShardedStates::expert).states == Bytes(4));
}

// In the order tp-cp-ep-dp-pp: tp counts in ones, cp in twos, dp in fours, pp in 32s.
TEST_CASE("digits of neighbouring dimensions are one, of others apart") {
  const Strategy s = many_ranks();
  const auto digits = [&](unsigned dims) { return digits_of(s.order, dense_sizes(s), dims); };
  const Digits dp = digits(bit(Dim::dp));
  REQUIRE(dp.count == 1);
  CHECK(dp.at[0].stride == 4);
  CHECK(dp.at[0].size == 8);
  const Digits both = digits(bit(Dim::cp) | bit(Dim::dp));
  REQUIRE(both.count == 1);
  CHECK(both.at[0].stride == 2);
  CHECK(both.at[0].size == 16);
  const Digits apart = digits(bit(Dim::tp) | bit(Dim::dp));
  REQUIRE(apart.count == 2);
  CHECK(size_of(apart) == 16);
  CHECK(digits(0).count == 0);
  CHECK(size_of(digits(0)) == 1);
  CHECK(members_of(dp, 5) == std::vector<std::int64_t>{1, 5, 9, 13, 17, 21, 25, 29});
  CHECK(members_of(apart, 7).size() == 16);
  CHECK(members_of(apart, 7)[1] == 3);
}

TEST_CASE("a part of a group skips what is inside it and takes what is left of its ranks") {
  const Strategy s = many_ranks();
  const Digits whole = digits_of(s.order, dense_sizes(s), bit(Dim::cp) | bit(Dim::dp));
  const Digits inner = part_of(whole, 1, 4);
  CHECK(inner.at[0].stride == 2);
  CHECK(size_of(inner) == 4);
  const Digits outer = part_of(whole, 4, 16);
  CHECK(outer.at[0].stride == 8);
  CHECK(size_of(outer) == 4);
  CHECK(size_of(part_of(whole, 16, 16)) == 1);
  // Across dimensions that are no neighbours: two of tp, then two of dp.
  const Digits apart = digits_of(s.order, dense_sizes(s), bit(Dim::tp) | bit(Dim::dp));
  const Digits first = part_of(apart, 1, 4);
  REQUIRE(first.count == 2);
  CHECK(first.at[0].stride == 1);
  CHECK(first.at[1].stride == 4);
  CHECK(first.at[1].size == 2);
  CHECK(part_of(apart, 2, 4).at[0].stride == 4);
}

TEST_CASE("terms of the rules are exact for any size") {
  using namespace legality;
  CHECK(divides(3, 12));
  CHECK_FALSE(divides(5, 12));
  CHECK(divides(3, 0));
  const std::int64_t large = std::int64_t{3} << 40;
  CHECK(divides(3, large));
  CHECK(divides(large, 2 * large));
  CHECK_FALSE(divides(large, large + 1));
  CHECK_FALSE(divides(5, large));
  CHECK(is_product(24, 2, 3, 4));
  CHECK(is_product(120, 2, 3, 4, 5));
  CHECK_FALSE(is_product(25, 2, 3, 4));
  Strategy s;
  CHECK(sequence_pieces(s) == 1);
  s.cp = 4;
  CHECK(sequence_pieces(s) == 8);
  CHECK_FALSE(all_to_all(s));
  s.cp_type = ContextType::a2a;
  CHECK(sequence_pieces(s) == 4);
  CHECK(all_to_all(s));
  s.cp = 1;
  CHECK_FALSE(all_to_all(s));
}

}  // namespace orrery
