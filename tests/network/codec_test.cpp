// SPDX-License-Identifier: Apache-2.0
#include "network/codec.h"

#include <doctest/doctest.h>

#include "network/coded_cost.h"
#include "network/collective_cost.h"
#include "network/shipped_cluster.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr Bytes kBuffer(1e9);
constexpr BytesPerSecond kRate(100e9);

Codec codec(double ratio, BytesPerSecond rate) {
  Codec c;
  c.ratio = ratio;
  c.compress = c.decompress = rate;
  return c;
}

double passes(Collective kind, std::int64_t ranks, bool recompresses) {
  Codec c = codec(4, kRate);
  c.recompresses = recompresses;
  return codec_time<double>(c, kind, ranks, kBuffer) / (kBuffer / kRate);
}

}  // namespace

TEST_CASE("each collective passes its codec as often as its data must") {
  CHECK(passes(Collective::point_to_point, 2, true) == testing::about(2));
  CHECK(passes(Collective::all_gather, 8, true) == testing::about(1.0 / 8 + 7.0 / 8));
  CHECK(passes(Collective::all_to_all, 8, true) == testing::about(2 * 7.0 / 8));
  CHECK(passes(Collective::reduce_scatter, 8, true) == testing::about(2 * 7.0 / 8));
  CHECK(passes(Collective::reduce_scatter, 8, false) == testing::about(7.0 / 8 + 1.0 / 8));
  CHECK(passes(Collective::all_reduce, 8, true) == testing::about(1 + 2 * 7.0 / 8));
  CHECK(passes(Collective::all_reduce, 8, false) == testing::about(2));
}

// A reduction that is recompressed is its two halves.
TEST_CASE("an all-reduce passes the codec like a reduce-scatter and an all-gather") {
  for (const std::int64_t n : {2, 3, 8, 1000}) {
    CHECK(passes(Collective::all_reduce, n, true) ==
          testing::about(passes(Collective::reduce_scatter, n, true) +
                         passes(Collective::all_gather, n, true)));
  }
}

TEST_CASE("hops of a reduction each start the codec") {
  Codec c;
  c.call = Seconds(1e-5);
  CHECK(codec_time<double>(c, Collective::reduce_scatter, 8, kBuffer).si() ==
        testing::about(14e-5));
  CHECK(codec_time<double>(c, Collective::all_gather, 8, kBuffer).si() == testing::about(2e-5));
  c.recompresses = false;
  CHECK(codec_time<double>(c, Collective::reduce_scatter, 8, kBuffer).si() == testing::about(2e-5));
}

TEST_CASE("a codec divides the bytes, and its time is added") {
  const Cluster cluster = shipped_cluster("dgx-h100", 32);
  Group g;
  g.ranks = 8;
  g.members.fill(8);
  for (const Collective kind : {Collective::all_reduce, Collective::all_gather}) {
    const Codec four = codec(4, kRate);
    const CollectiveCost<double> bare = collective_cost<double>(cluster, g, kind, kBuffer);
    const CollectiveCost<double> coded = coded_cost<double>(cluster, g, kind, kBuffer, four);
    CHECK(coded.bytes_per_rank.si() == testing::about(bare.bytes_per_rank.si() / 4));
    CHECK(coded.codec.si() == testing::about(codec_time<double>(four, kind, 8, kBuffer).si()));
    if (kind == Collective::all_reduce) CHECK(coded.algorithm != Algorithm::in_switch);
    const CollectiveCost<double> quarter =
        collective_cost_by<double>(coded.algorithm, cluster, g, kind, kBuffer / 4);
    CHECK(coded.time.si() == testing::about((quarter.time + coded.codec).si()));
    const CollectiveCost<double> off = coded_cost<double>(cluster, g, kind, kBuffer, Codec{});
    CHECK(off.time == bare.time);
    CHECK(off.algorithm == bare.algorithm);
  }
}

TEST_CASE("no bytes and one rank pass no codec") {
  const Cluster cluster = shipped_cluster("dgx-h100", 32);
  Group g;
  CHECK(coded_cost<double>(cluster, g, Collective::all_reduce, kBuffer, codec(4, kRate)).time ==
        Seconds());
  g.ranks = 8;
  g.members.fill(8);
  CHECK(coded_cost<double>(cluster, g, Collective::all_reduce, Bytes(), codec(4, kRate)).time ==
        Seconds());
}
