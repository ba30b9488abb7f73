// SPDX-License-Identifier: Apache-2.0
// The least and the most that a number of a profile or of `parallel` may be, by what it counts, and
// what a profile that leaves a key out has.
#include "support/key_ranges.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json.h"
#include "parallel/framework_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

using testing::check_range;
using testing::takes;

void check_profile(const std::vector<std::string>& names, const Json& below, const Json& least,
                   const Json& most, const Json& above) {
  check_range<Framework>(kFrameworkKeys, names, below, least, most, above);
}

constexpr std::int64_t kMillion = 1 << 20;
constexpr std::int64_t kTrillion = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("shares of a profile are parts of a whole") {
  check_profile({"tp_exposed", "ep_exposed", "ep_exposed_interleaved", "dp_overlap_share",
                 "dp_exposed_floor", "fragments_kept"},
                -0.001, 0, 1, 1.001);
  // A rate is divided by: none of it would take for ever.
  check_profile({"fabric_share", "layer_fabric_share"}, 0.0009, 0.001, 1, 1.001);
  check_profile({"linear_rate"}, 0.009, 0.01, 1, 1.001);
  check_profile(
      {"state_overhead", "activation_overhead", "logits_overhead", "communication_slowdown"},
      -0.001, 0, 10, 10.001);
}

TEST_CASE("an element of a profile has at most the bytes of its widest type") {
  // fp32 is the widest that is kept or sent; a gathered weight may be fp64; copies read and write.
  check_profile({"gate_bytes", "attention_output_bytes", "dispatch_bytes"}, -0.001, 0, 4, 4.001);
  check_profile({"gather_bytes"}, -0.001, 0, 8, 8.001);
  check_profile({"gather_copies", "reduce_copies"}, -0.001, 0, 64, 64.001);
}

TEST_CASE("factors of a profile are at least what they multiply, and counts are whole") {
  check_profile({"pointwise_passes", "unpacking_passes"}, 0.999, 1, 10, 10.001);
  check_profile({"prefetch_norm"}, 0.999, 1, 100, 100.001);
  check_profile({"stack_factor"}, 0.0999, 0.1, 10, 10.001);
  check_profile({"optimizer_copies"}, -0.001, 0, 16, 16.001);
  check_profile({"zero"}, -1, 0, 3, 4);
  check_profile({"qwz", "qgz"}, -1, 0, 64, 65);
  check_profile({"hpz", "shard_group"}, -1, 0, kMillion, kMillion + 1);
  check_profile({"vocabulary_multiple"}, 0, 1, kMillion, kMillion + 1);
  check_profile({"max_live_parameters", "prefetch_limit"}, -1, 0, kTrillion, kTrillion + 1);
}

TEST_CASE("fixed times and buffers of a profile may be nothing") {
  for (const char* name : {"refresh_per_rank", "gather_wait", "host_launch", "step_overhead"}) {
    CAPTURE(name);
    CHECK(takes<Framework>(kFrameworkKeys, name, "0 s"));
    CHECK_FALSE(takes<Framework>(kFrameworkKeys, name, "-1 s"));
  }
  for (const char* name : {"context", "group_buffers", "bucket"}) {
    CAPTURE(name);
    CHECK(takes<Framework>(kFrameworkKeys, name, "0 B"));
    CHECK_FALSE(takes<Framework>(kFrameworkKeys, name, "-1 B"));
  }
}

TEST_CASE("an interval of a profile lies around the prediction") {
  const auto interval = [](double low, double high) {
    return takes<Framework>(kFrameworkKeys, "interval_80", Json{low, high});
  };
  CHECK(interval(0.01, 1));
  CHECK(interval(1, 100));
  CHECK_FALSE(interval(0.009, 1));
  CHECK_FALSE(interval(1.01, 1.1));
  CHECK_FALSE(interval(0.9, 0.99));
  CHECK_FALSE(interval(0.9, 101));
  CHECK_FALSE(takes<Framework>(kFrameworkKeys, "interval_80", Json{0.9}));
  CHECK_FALSE(takes<Framework>(kFrameworkKeys, "interval_80", Json{0.9, 1, 1.1}));
}

TEST_CASE("degrees of parallelism are one rank at least") {
  check_range<StrategyRequest>(kStrategyKeys,
                               {"tp", "pp", "vpp", "cp", "ep", "etp", "dp", "zero_shard_group"}, 0,
                               1, kMillion, kMillion + 1);
  check_range<StrategyRequest>(kStrategyKeys, {"zero"}, -1, 0, 3, 4);
  check_range<StrategyRequest>(kStrategyKeys, {"recompute_layers"}, -1, 0, kMillion, kMillion + 1);
  check_range<Partition>(kPartitionKeys, {"weights", "gradients", "optimizer"}, 0, 1, kMillion,
                         kMillion + 1);
  check_range<ZeroPlusPlusRequest>(kZeroPlusPlusKeys, {"qwz", "qgz"}, -1, 0, 64, 65);
  check_range<ZeroPlusPlusRequest>(kZeroPlusPlusKeys, {"hpz"}, -1, 0, kMillion, kMillion + 1);
  check_range<Offload>(kOffloadKeys, {"optimizer_fraction"}, -0.001, 0, 1, 1.001);
  // 2^15 layers fit the 16 bits in which a stage keeps its count.
  check_range<StrategyRequest>(kStrategyKeys, {"stage_layers"}, Json{-1}, Json{0}, Json{32767},
                               Json{32768});
}

// The default that a row states is that of the struct, so that pages and program agree.
TEST_CASE("a profile that leaves a key out has the default that the key states") {
  int checked = 0;
  for (const Key& k : kFrameworkKeys.keys) {
    if (k.otherwise.required || k.otherwise.value.empty()) continue;
    const std::string said(k.otherwise.value);
    const bool in_words = said.find('\'') != std::string::npos;  // "ep_exposed's"
    if (in_words) continue;
    const Json value = Json::accept(said) ? Json::parse(said) : Json(said);
    Framework as_said;
    const Framework left_out;
    Json written;
    Json expected;
    if (!k.write(&left_out, k, written)) continue;
    CAPTURE(k.name);
    k.read(&as_said, Reader(value, "x.json", std::string(k.name)), k);
    k.write(&as_said, k, expected);
    CHECK(written == expected);
    ++checked;
  }
  CHECK(checked > 50);
}

}  // namespace orrery
