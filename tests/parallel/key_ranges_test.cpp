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

// A group of a profile with one of its keys: "overlap.tp_exposed".
Json group_with(const std::string& path, const Json& value) {
  const std::size_t dot = path.find('.');
  return {{path.substr(dot + 1), value}};
}

bool profile_takes(const std::string& path, const Json& value) {
  return takes<Framework>(kFrameworkKeys, path.substr(0, path.find('.')), group_with(path, value));
}

void check_profile(const std::vector<std::string>& paths, const Json& below, const Json& least,
                   const Json& most, const Json& above) {
  for (const std::string& path : paths) {
    CAPTURE(path);
    CHECK_FALSE(profile_takes(path, below));
    CHECK(profile_takes(path, least));
    CHECK(profile_takes(path, most));
    CHECK_FALSE(profile_takes(path, above));
  }
}

constexpr std::int64_t kMillion = 1 << 20;
constexpr std::int64_t kTrillion = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("shares of a profile are parts of a whole") {
  check_profile({"overlap.tp_exposed", "overlap.ep_exposed", "overlap.ep_exposed_interleaved",
                 "overlap.dp_share", "overlap.dp_floor", "allocator.fragments_kept"},
                -0.001, 0, 1, 1.001);
  // A rate is divided by: none of it would take for ever.
  check_profile({"network.fabric_share", "network.layer_fabric_share"}, 0.0009, 0.001, 1, 1.001);
  check_profile({"kernels.linear_rate"}, 0.009, 0.01, 1, 1.001);
  check_profile({"allocator.state_overhead", "allocator.activation_overhead",
                 "loss.logits_overhead", "overlap.slowdown"},
                -0.001, 0, 10, 10.001);
}

TEST_CASE("an element of a profile has at most the bytes of its widest type") {
  // fp32 is the widest that is kept or sent; a gathered weight may be fp64; copies read and write.
  check_profile({"saved.gate_bytes", "saved.attention_output_bytes", "experts.dispatch_bytes"},
                -0.001, 0, 4, 4.001);
  check_profile({"gathers.element_bytes"}, -0.001, 0, 8, 8.001);
  check_profile({"gathers.copy_bytes", "gradients.copy_bytes"}, -0.001, 0, 64, 64.001);
}

TEST_CASE("factors of a profile are at least what they multiply, and counts are whole") {
  check_profile({"kernels.pointwise_passes", "kernels.unpacking_passes"}, 0.999, 1, 10, 10.001);
  check_profile({"gathers.prefetch_norm"}, 0.999, 1, 100, 100.001);
  check_profile({"level.factor"}, 0.0999, 0.1, 10, 10.001);
  check_profile({"update.moment_lists"}, -0.001, 0, 16, 16.001);
  check_profile({"sharding.zero"}, -1, 0, 3, 4);
  check_profile({"sharding.qwz", "sharding.qgz"}, -1, 0, 64, 65);
  check_profile({"sharding.hpz", "sharding.group"}, -1, 0, kMillion, kMillion + 1);
  check_profile({"vocabulary.multiple"}, 0, 1, kMillion, kMillion + 1);
  check_profile({"gathers.max_live", "gathers.prefetch_limit"}, -1, 0, kTrillion, kTrillion + 1);
}

TEST_CASE("fixed times and buffers of a profile may be nothing") {
  for (const char* name :
       {"update.refresh_per_rank", "gathers.host_wait", "host.launch", "host.step_overhead"}) {
    CAPTURE(name);
    CHECK(profile_takes(name, "0 s"));
    CHECK_FALSE(profile_takes(name, "-1 s"));
  }
  for (const char* name : {"buffers.context", "buffers.group", "buffers.bucket"}) {
    CAPTURE(name);
    CHECK(profile_takes(name, "0 B"));
    CHECK_FALSE(profile_takes(name, "-1 B"));
  }
}

TEST_CASE("an interval of a profile lies around the prediction") {
  const auto interval = [](double low, double high) {
    return profile_takes("level.interval_80", Json{low, high});
  };
  CHECK(interval(0.01, 1));
  CHECK(interval(1, 100));
  CHECK_FALSE(interval(0.009, 1));
  CHECK_FALSE(interval(1.01, 1.1));
  CHECK_FALSE(interval(0.9, 0.99));
  CHECK_FALSE(interval(0.9, 101));
  CHECK_FALSE(profile_takes("level.interval_80", Json{0.9}));
  CHECK_FALSE(profile_takes("level.interval_80", Json{0.9, 1, 1.1}));
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

// The group as it is written after it was read.
Json group_written(const Key& group, const Json& given) {
  Framework f;
  group.read(&f, Reader(given, "x.json", std::string(group.name)), group);
  Json written;
  group.write(&f, group, written);
  return written;
}

// The default that a row states is that of the struct, so that pages and program agree.
TEST_CASE("a profile that leaves a key out has the default that the key states") {
  int checked = 0;
  for (const Key& group : kFrameworkKeys.keys) {
    if (group.forms.front().kind != FormKind::object) continue;
    for (const Key& k : group.forms.front().object->keys) {
      if (k.otherwise.required || k.otherwise.value.empty()) continue;
      const std::string stated(k.otherwise.value);
      const bool in_words = stated.find('\'') != std::string::npos;  // "ep_exposed's"
      if (in_words) continue;
      const std::string name(k.name);
      const std::string path = std::string(group.name) + "." + name;
      CAPTURE(path);
      const Json value = Json::accept(stated) ? Json::parse(stated) : Json(stated);
      const Json given = group_with(path, value);
      Json absent = given;
      absent.erase(name);
      const Json left_out = group_written(group, absent);
      if (!left_out.contains(name)) continue;
      CHECK(left_out[name] == group_written(group, given)[name]);
      ++checked;
    }
  }
  CHECK(checked > 45);
}

}  // namespace orrery
