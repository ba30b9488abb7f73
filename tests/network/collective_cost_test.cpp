// SPDX-License-Identifier: Apache-2.0
// The parts of a collective's cost besides its time, the algorithms there are, and codecs.
#include "network/collective_cost.h"

#include <doctest/doctest.h>

#include <set>

#include "network/coded_cost.h"
#include "network/round_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

using Algorithms = std::set<Algorithm>;

Algorithms serving(Collective kind) {
  const std::vector<Algorithm> all = algorithms_of(kind);
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("one rank, or no bytes, cost nothing") {
  const Cluster c = round_cluster();
  for (const Algorithm a : {Algorithm::ring, Algorithm::tree}) {
    const auto alone =
        collective_cost_by(a, c, group_over(1, 1), Collective::all_reduce, Bytes(8e6));
    CHECK(alone.algorithm == Algorithm::none);
    CHECK(alone.time == Seconds());
    const auto empty = collective_cost_by(a, c, group_over(2, 8), Collective::all_reduce, Bytes());
    CHECK(empty.algorithm == Algorithm::none);
    CHECK(empty.time == Seconds());
    CHECK_FALSE(applies(a, c, group_over(1, 1), Collective::all_reduce));
  }
  CHECK(collective_cost(c, group_over(1, 1), Collective::all_reduce, Bytes(8e6)).algorithm ==
        Algorithm::none);
  CHECK(collective_cost(c, group_over(1, 8), Collective::all_reduce, Bytes()).time == Seconds());
  // Two ranks and one byte do.
  CHECK(collective_cost(c, group_over(1, 2), Collective::all_reduce, Bytes(1)).time > Seconds());
}

TEST_CASE("a cost counts the bytes of a rank and the outermost tier") {
  Cluster c = racks();
  const auto cost = collective_cost(c, side_by_side(c, 128), Collective::all_reduce, Bytes(128e6));
  CHECK(cost.message == Bytes(128e6));
  CHECK(cost.bytes_per_rank == Bytes(2 * 127e6));
  CHECK(cost.sent == Bytes(2 * 127e6));
  CHECK(cost.tier == 2);
  CHECK(cost.codec == Seconds());
  CHECK(cost.ratio == 1);
  CHECK(collective_cost(c, side_by_side(c, 8), Collective::all_gather, Bytes(8)).tier == 0);
  // The switch sums what a rank sends once, and busbw counts as before.
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 1;
  const auto summed = collective_cost_by(Algorithm::in_switch, c, side_by_side(c, 8),
                                         Collective::all_reduce, Bytes(8e6));
  CHECK(summed.bytes_per_rank == Bytes(14e6));
  CHECK(summed.sent == Bytes(8e6));
  CHECK(summed.message == Bytes(8e6));
}

TEST_CASE("the cost is that of the fastest algorithm that the library has") {
  const Cluster c = round_cluster();
  for (const double bytes : {1e3, 1e6, 1e9}) {
    for (const Collective kind :
         {Collective::all_reduce, Collective::all_gather, Collective::all_to_all}) {
      const Group g = group_over(16, 8);
      const auto best = collective_cost(c, g, kind, Bytes(bytes));
      for (const Algorithm a : algorithms_of(kind)) {
        if (!applies(a, c, g, kind)) continue;
        const auto by = collective_cost_by(a, c, g, kind, Bytes(bytes));
        CHECK(best.time <= by.time);
        if (a == best.algorithm) CHECK(best.time == by.time);
        CHECK(by.algorithm == a);
      }
    }
  }
}

TEST_CASE("each collective has the algorithms that serve it") {
  CHECK(serving(Collective::all_reduce) == Algorithms{Algorithm::ring, Algorithm::in_switch,
                                                      Algorithm::tree, Algorithm::hierarchical,
                                                      Algorithm::recursive});
  const Algorithms gathers{Algorithm::ring, Algorithm::in_switch, Algorithm::pat,
                           Algorithm::hierarchical, Algorithm::recursive};
  CHECK(serving(Collective::all_gather) == gathers);
  CHECK(serving(Collective::reduce_scatter) == gathers);
  CHECK(serving(Collective::all_to_all) == Algorithms{Algorithm::direct, Algorithm::hierarchical});
  CHECK(serving(Collective::point_to_point) == Algorithms{Algorithm::direct});
  CHECK(serving(Collective::broadcast) == Algorithms{Algorithm::ring});
  CHECK(serving(Collective::reduce) == Algorithms{Algorithm::ring});
  // An algorithm of one collective does not serve another.
  const Cluster c = round_cluster();
  CHECK_FALSE(applies(Algorithm::tree, c, group_over(4, 8), Collective::all_gather));
  CHECK_FALSE(applies(Algorithm::ring, c, group_over(4, 8), Collective::all_to_all));
}

TEST_CASE("a recorded cost is the plain one") {
  const Cluster c = round_cluster();
  Tape tape;
  const Recording recording(tape);
  for (const Collective kind : kAllOf<Collective>) {
    const Group g = kind == Collective::point_to_point ? group_over(2, 1) : group_over(4, 8);
    const auto s = lift<Traced>(Bytes(8e6), {"buffer", ""});
    const auto traced = collective_cost(c, g, kind, s);
    const auto once = collective_cost(c, g, kind, Bytes(8e6));
    CAPTURE(name_of(kind));
    CHECK(plain(traced.time) == once.time);
    CHECK(plain(traced.bytes_per_rank) == once.bytes_per_rank);
    CHECK(plain(traced.sent) == once.sent);
    CHECK(traced.algorithm == once.algorithm);
  }
}

namespace {

Codec halving(double compress, double decompress) {
  Codec codec;
  codec.ratio = 2;
  codec.compress = BytesPerSecond(compress);
  codec.decompress = BytesPerSecond(decompress);
  return codec;
}

// Shares of the buffer that one rank compresses and decompresses.
void check_shares(Collective kind, std::int64_t ranks, bool recompresses, double in, double out) {
  CAPTURE(name_of(kind));
  Codec codec = halving(1e9, 0);
  codec.recompresses = recompresses;
  CHECK(codec_time<double>(codec, kind, ranks, Bytes(1e9)).si() == near(in));
  codec = halving(0, 1e9);
  codec.recompresses = recompresses;
  CHECK(codec_time<double>(codec, kind, ranks, Bytes(1e9)).si() == near(out));
}

// Times that the codec is started.
double calls(Collective kind, std::int64_t ranks, bool recompresses) {
  Codec codec;
  codec.call = Seconds(1);
  codec.recompresses = recompresses;
  return codec_time<double>(codec, kind, ranks, Bytes(1e9)).si();
}

}  // namespace

TEST_CASE("a codec passes what a rank gives, and what it takes") {
  for (const bool recompresses : {true, false}) {
    check_shares(Collective::all_gather, 8, recompresses, 1.0 / 8, 7.0 / 8);
    check_shares(Collective::all_to_all, 8, recompresses, 7.0 / 8, 7.0 / 8);
    check_shares(Collective::broadcast, 8, recompresses, 1, 1);
    check_shares(Collective::point_to_point, 2, recompresses, 1, 1);
    check_shares(Collective::reduce, 8, recompresses, 1, 1);
  }
  check_shares(Collective::reduce_scatter, 8, true, 7.0 / 8, 7.0 / 8);
  check_shares(Collective::reduce_scatter, 8, false, 7.0 / 8, 1.0 / 8);
  check_shares(Collective::all_reduce, 8, true, 1, 14.0 / 8);
  check_shares(Collective::all_reduce, 8, false, 1, 1);
}

TEST_CASE("a codec starts twice, or twice a hop where it recompresses") {
  for (const Collective kind : {Collective::all_gather, Collective::all_to_all,
                                Collective::broadcast, Collective::point_to_point}) {
    CHECK(calls(kind, 8, true) == 2);
    CHECK(calls(kind, 8, false) == 2);
  }
  CHECK(calls(Collective::reduce_scatter, 8, true) == 2 * 7);
  CHECK(calls(Collective::reduce, 8, true) == 2 * 7);
  CHECK(calls(Collective::all_reduce, 8, true) == 2 * 7 + 2);
  for (const Collective kind :
       {Collective::reduce_scatter, Collective::reduce, Collective::all_reduce}) {
    CHECK(calls(kind, 8, false) == 2);
  }
}

TEST_CASE("a codec is on if it changes bytes or takes time") {
  CHECK_FALSE(is_on(Codec{}));
  CHECK(is_on(halving(0, 0)));
  Codec codec;
  codec.compress = BytesPerSecond(1);
  CHECK(is_on(codec));
  codec = {};
  codec.decompress = BytesPerSecond(1);
  CHECK(is_on(codec));
  codec = {};
  codec.call = Seconds(1);
  CHECK(is_on(codec));
}

TEST_CASE("switches cannot add what is compressed, but copy it") {
  Cluster c = round_cluster();
  c.tiers[0].in_network_reduction = true;
  c.tiers[0].reduction_efficiency = 4;
  c.library = CollectiveLibrary::nccl;
  const Group g = group_over(1, 8);
  const Codec codec = halving(1e12, 1e12);
  const auto taken = [&](Collective kind) {
    REQUIRE(collective_cost(c, g, kind, Bytes(8e6)).algorithm == Algorithm::in_switch);
    return coded_cost(c, g, kind, Bytes(8e6), codec);
  };
  const auto sum = taken(Collective::all_reduce);
  CHECK(sum.algorithm == Algorithm::ring);
  CHECK(sum.ratio == 2);
  CHECK(sum.message == Bytes(4e6));
  CHECK(sum.time.si() / kUs == near(5 + 14 + 70 + 8 + 14));
  CHECK(taken(Collective::reduce_scatter).algorithm == Algorithm::ring);
  CHECK(taken(Collective::all_gather).algorithm == Algorithm::in_switch);
}
