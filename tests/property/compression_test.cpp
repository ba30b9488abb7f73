// SPDX-License-Identifier: Apache-2.0
//
// Effects that compression and ZeRO++ may and may not have on any legal run.
#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "estimate/run.h"
#include "memory/memory_lines.h"
#include "property/random_run.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr int kCompressedRuns = 600;

void give_all(Run& run, const Codec& codec) {
  for (auto& dimension : run.compression.codecs) dimension.values.fill(codec);
}

Codec codec_of(double ratio, double rate) {
  Codec c;
  c.ratio = ratio;
  c.compress = c.decompress = BytesPerSecond(rate);
  return c;
}

double all_bytes(const Answer& a) {
  double sum = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) sum += a.comm[i].bytes.si();
  return sum;
}

double all_uncompressed(const Answer& a) {
  double sum = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) sum += a.comm[i].uncompressed.si();
  return sum;
}

// Bytes of data parallelism that leave a node: those on each link of a ring, or those that all
// ranks of the node send directly to others.
double leaving_node(const Run& run, const Answer& a) {
  const std::size_t node = tier_of(run.cluster, run.cluster.devices_per_node);
  double sum = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& l = a.comm[i];
    const bool data = l.dimension == CommDimension::dp || l.dimension == CommDimension::edp;
    if (!data || l.tier <= node) continue;
    const double senders = l.collective == Collective::all_to_all
                               ? static_cast<double>(run.cluster.devices_per_node)
                               : 1;
    sum += l.bytes.si() * senders;
  }
  return sum;
}

}  // namespace

TEST_CASE("a ratio of 1 at no time is no compression") {
  Shelf shelf;
  RunMaker maker(shelf, 71);
  for (int i = 0; i < kCompressedRuns; ++i) {
    const Run run = maker.legal();
    const std::string what = describe(run, maker.label());
    CAPTURE(what);
    Run same = run;
    give_all(same, codec_of(1, 0));
    const Answer a = estimate(run);
    const Answer b = estimate(same);
    CHECK(a.step_time == b.step_time);
    CHECK(a.breakdown == b.breakdown);
    CHECK(all_bytes(a) == all_bytes(b));
  }
}

TEST_CASE("a higher ratio never sends more, and at no time through the codec divides the bytes") {
  Shelf shelf;
  RunMaker maker(shelf, 72);
  for (int i = 0; i < kCompressedRuns; ++i) {
    Run run = maker.legal();
    run.strategy.zeropp = {};
    if (run.strategy.pp > 1) continue;  // another stage may be the busiest
    const std::string what = describe(run, maker.label());
    CAPTURE(what);
    const double plain = all_bytes(estimate(run));
    double before = plain;
    for (const double ratio : {1.5, 4.0, 16.0}) {
      Run packed = run;
      give_all(packed, codec_of(ratio, 50e9));
      const Answer a = estimate(packed);
      CHECK(all_bytes(a) <= before);
      CHECK(all_bytes(a) == testing::about(plain / ratio));
      CHECK(all_uncompressed(a) == testing::about(plain));
      before = all_bytes(a);
    }
  }
}

TEST_CASE("a faster codec never hurts") {
  Shelf shelf;
  RunMaker maker(shelf, 73);
  for (int i = 0; i < kCompressedRuns; ++i) {
    Run run = maker.legal();
    const std::string what = describe(run, maker.label());
    CAPTURE(what);
    give_all(run, codec_of(4, 10e9));
    const Seconds slow = estimate(run).step_time;
    give_all(run, codec_of(4, 100e9));
    const Seconds fast = estimate(run).step_time;
    CHECK(fast <= slow * (1 + 1e-12));
    give_all(run, codec_of(4, 0));
    CHECK(estimate(run).step_time <= fast * (1 + 1e-12));
  }
}

TEST_CASE(
    "no switch of ZeRO++ sends more out of a node, and the second copy is all it holds more") {
  Shelf shelf;
  RunMaker maker(shelf, 74);
  int tried = 0;
  for (int i = 0; i < 3 * kCompressedRuns; ++i) {
    Run run = maker.legal();
    run.strategy.zeropp = {};
    const Partition& p = run.strategy.partition;
    if (p.weights == 1 || run.framework.gathers.keeps(KeptGathered::layers)) continue;
    const std::string what = describe(run, maker.label());
    CAPTURE(what);
    const Answer before = estimate(run);
    for (const ZeroPlusPlus z :
         {ZeroPlusPlus{8, 0, 0}, ZeroPlusPlus{0, p.weights, 0}, ZeroPlusPlus{8, p.weights, 0}}) {
      Run changed = run;
      changed.strategy.zeropp = z;
      if (!is_legal(changed)) continue;
      ++tried;
      const Answer a = estimate(changed);
      CHECK(leaving_node(changed, a) <= leaving_node(run, before) * (1 + 1e-12));
      CHECK((a.memory[MemoryLine::secondary_weights] >
             before.memory[MemoryLine::secondary_weights]) == (z.hpz > 0));
      if (a.memory_stage != before.memory_stage) continue;
      CHECK(a.memory[MemoryLine::weights] == before.memory[MemoryLine::weights]);
    }
  }
  CHECK(tried > 100);
}
