// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include "hardware_files.h"
#include "support/about.h"

namespace orrery {
namespace {

TEST_CASE("line rate between two given group sizes is linear, and flat outside") {
  Tier t;
  t.bandwidth = BytesPerSecond(448e9);
  CHECK(line_rate(t, 2).si() == 448e9);
  t.group_sizes = 2;
  t.group_bandwidth[0] = {2, BytesPerSecond(64e9)};
  t.group_bandwidth[1] = {8, BytesPerSecond(448e9)};
  CHECK(line_rate(t, 1).si() == 64e9);
  CHECK(line_rate(t, 2).si() == 64e9);
  CHECK(line_rate(t, 5).si() == testing::about(4 * 64e9));
  CHECK(line_rate(t, 8).si() == 448e9);
  CHECK(line_rate(t, 16).si() == 448e9);
}

// Hybrid cube mesh: 1 link between two neighbours, 4 in a quad, 6 in all (22.5, 85.4 and 134.6 GB/s
// busbw measured, VIA-Research/vTrain@f8dda847).
TEST_CASE("links of a V100 mesh join as measured") {
  const Tier nvlink = shipped_node("dgx-1-v100-32gb").cluster.tiers[0];
  const auto busbw = [&](std::int64_t n) { return line_rate(nvlink, n).si() * nvlink.efficiency; };
  CHECK(busbw(2) == testing::about(22.5e9).epsilon(0.06));
  CHECK(busbw(4) == testing::about(85.4e9).epsilon(0.06));
  CHECK(busbw(8) == testing::about(134.6e9).epsilon(0.06));
}

TEST_CASE("a name too long for a plain value is cut") {
  CHECK(make_name("nvlink").view() == "nvlink");
  CHECK(make_name(std::string(40, 'a')).view() == std::string(kLongestName, 'a'));
}

TEST_CASE("a name moves no terminal") {
  CHECK(make_name("red\x1b[31m\x07\n").view() == "red [31m  ");
  CHECK(make_name("\u009b2J é").view() == "  2J é");
}

}  // namespace
}  // namespace orrery
