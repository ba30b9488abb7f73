// SPDX-License-Identifier: Apache-2.0
// Ranks on listed devices: what a list means, and what it does to groups.
#include "parallel/placement_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "parallel/placement_json.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

Cluster cluster_of(std::initializer_list<std::int64_t> sizes, std::int64_t gpus,
                   std::int64_t places = 0) {
  Cluster c;
  for (const std::int64_t size : sizes) c.tiers[c.tier_count++].size = size;
  c.devices_per_node = *sizes.begin();
  c.gpus = gpus;
  c.places = places;
  return c;
}

RankDevices read_list(const std::string& text, const Cluster& c) {
  const Json document = parse_json(text, "run.json");
  return out_of_order(read_placement(Reader(document, "run.json", "parallel.placement"), c), c);
}

std::string refusal(const std::string& text, const Cluster& c) {
  try {
    read_list(text, c);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Cluster placed(Cluster c, std::vector<std::int32_t> devices) {
  c.device_of_rank = std::make_shared<const std::vector<std::int32_t>>(std::move(devices));
  return c;
}

Strategy strategy_of(std::int64_t tp, std::int64_t pp, std::int64_t dp, std::int64_t ep = 1) {
  Strategy s;
  s.tp = tp;
  s.pp = pp;
  s.dp = dp;
  s.ep = ep;
  return s;
}

}  // namespace

TEST_CASE("a list in order gives the groups that strides give") {
  const Cluster c = cluster_of({8, 32, 128}, 128);
  std::vector<std::int32_t> in_order(128);
  std::iota(in_order.begin(), in_order.end(), 0);
  const Cluster listed = placed(c, in_order);
  for (const Strategy& s : {strategy_of(8, 4, 4), strategy_of(2, 8, 8), strategy_of(1, 1, 128, 16),
                            strategy_of(4, 2, 16, 8), strategy_of(16, 4, 2)}) {
    CHECK(place(s, tier_sizes(listed)) == place(s, tier_sizes(c)));
    CHECK(data_subgroup(s, tier_sizes(listed), 1, s.dp) ==
          data_subgroup(s, tier_sizes(c), 1, s.dp));
    for (std::int64_t stage = 0; stage < s.pp && s.pp > 1; ++stage) {
      CHECK(pipeline_tier(s, tier_sizes(listed), stage) == pipeline_tier(s, tier_sizes(c), stage));
      CHECK(pipeline_pair(s, tier_sizes(listed), stage) == pipeline_pair(s, tier_sizes(c), stage));
    }
  }
}

TEST_CASE("round robin over nodes puts every group on the links between them") {
  const Cluster c = cluster_of({4, 16}, 16);
  std::vector<std::int32_t> devices;
  for (std::int32_t r = 0; r < 16; ++r) devices.push_back(r % 4 * 4 + r / 4);
  const Placement p = place(strategy_of(4, 1, 4), tier_sizes(placed(c, devices)));
  CHECK(p.tp.members[0] == 1);
  CHECK(p.tp.sharers[1] == 4);
  CHECK(p.dp.members[0] == 4);
  CHECK(p.dp.sharers[1] == 1);
}

TEST_CASE("whole units in another order are the default placement") {
  const Cluster c = cluster_of({4, 8, 16}, 16);
  CHECK(read_list(R"("0-15")", c) == nullptr);
  CHECK(read_list(R"([4, 7, 6, 5, "0-3", "12-15", "8-11"])", c) == nullptr);
  CHECK(read_list(R"({"nodes": "1, 0, 3, 2"})", c) == nullptr);
  REQUIRE(read_list(R"({"nodes": "0, 2, 1, 3"})", c) !=
          nullptr);  // nodes 0 and 2 share no unit of 8
  CHECK(read_list(R"({"nodes": "0, 2, 1, 3"})", c)->at(4) == 8);
}

TEST_CASE("nodes may be any of the fabric") {
  const Cluster c = cluster_of({4, 16, 256}, 8, 256);
  CHECK(read_list(R"({"nodes": [1, 3]})", c) == nullptr);
  const RankDevices apart = read_list(R"({"nodes": [1, 63]})", c);
  REQUIRE(apart != nullptr);
  CHECK(*apart == std::vector<std::int32_t>{4, 5, 6, 7, 252, 253, 254, 255});
}

TEST_CASE("a random placement never has more of a group in a unit than the default") {
  std::mt19937 random(7);
  const Cluster c = cluster_of({8, 32, 128}, 128);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::int32_t> devices(128);
    std::iota(devices.begin(), devices.end(), 0);
    std::shuffle(devices.begin(), devices.end(), random);
    const Strategy s = strategy_of(8, 2, 8);
    const Group scattered = place(s, tier_sizes(placed(c, devices))).tp;
    const Group packed = place(s, tier_sizes(c)).tp;
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(scattered.members[i] <= packed.members[i]);
  }
}

TEST_CASE("a list that is wrong is refused in one line") {
  const Cluster c = cluster_of({4, 8}, 8);
  CHECK(has_part(refusal("[0,1,2,3,4,5,6,6]", c), "found device 6 twice, at 6 and 7"));
  CHECK(has_part(refusal("[0,1,2]", c), "found 3 devices; allowed: 8, as the run has"));
  CHECK(has_part(refusal(R"("0-8")", c), "found device 8; allowed: 0 to 7"));
  CHECK(has_part(refusal(R"("0-7, 0-7")", c), "twice"));
  CHECK(has_part(refusal(R"("7-0")", c), "one that rises"));
  CHECK(has_part(refusal(R"("0-x")", c), "whole numbers and ranges"));
  CHECK(has_part(refusal(R"({"nodes": "0, 0"})", c), "found node 0 twice"));
  CHECK(has_part(refusal(R"({"nodes": "0"})", c), "found 1 node; allowed: 2"));
  CHECK(has_part(refusal(R"({"racks": "0"})", c), "nodes: found nothing"));
  CHECK(has_part(refusal("[0, -1]", c), "parallel.placement[1]"));
  CHECK(has_part(refusal("8", c), "a list"));
  CHECK(has_part(refusal("[]", c), "found 0 devices"));
}
