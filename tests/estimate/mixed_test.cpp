// SPDX-License-Identifier: Apache-2.0
//
// Runs on several kinds of node.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/error.h"
#include "estimate/comm_lines.h"
#include "estimate/estimate.h"
#include "estimate/mixed_balance.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_links.h"
#include "estimate/mixed_resolve.h"
#include "estimate/split_layers.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json base(const std::string& parallel, std::int64_t batch = 64) {
  Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 24, "hidden_size": 4096,
              "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
              "vocab_size": 32000, "hidden_act": "swiglu"},
    "training": {"sequence_length": 4096, "micro_batch": 1},
    "framework": "megatron-core"})");
  run["training"]["global_batch"] = batch;
  run["parallel"] = json_of(parallel);
  return run;
}

Json on_one(Json run, std::int64_t gpus) {
  run["cluster"] = {{"node", "dgx-h100"}, {"gpus", gpus}};
  return run;
}

Json on_groups(Json run, const std::string& groups) {
  run["cluster"] = {{"groups", json_of(groups)}};
  return run;
}

constexpr const char* kTwins = R"([{"name": "a", "node": "dgx-h100", "gpus": 32},
                                   {"name": "b", "node": "dgx-h100", "gpus": 32}])";
constexpr const char* kUnlike = R"([{"name": "a", "node": "dgx-a100-80gb", "gpus": 32},
                                    {"name": "h", "node": "dgx-h100", "gpus": 32}])";

ResolvedMixed mixed(const Json& run) { return resolve_mixed(run, "run.json", shipped_configs()); }

MixedAnswer answer_of(const Json& run) {
  MixedWorkspace w;
  return estimate_mixed<double>(mixed(run).run, w);
}

void check_alike(const Answer& a, const Answer& b) {
  CHECK(a.step_time.si() == about(b.step_time.si()).epsilon(1e-12));
  CHECK(a.memory.peak.si() == about(b.memory.peak.si()).epsilon(1e-12));
  CHECK(a.reason == b.reason);
  for (const Term t : kAllOf<Term>) {
    CAPTURE(name_of(t));
    CHECK(a.breakdown[t].si() == about(b.breakdown[t].si()).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("two groups of one kind of node are one cluster") {
  for (const char* parallel :
       {R"({"tp": 8, "pp": 4, "recompute": "selective", "sequence_parallel": true})",
        R"({"tp": 4, "pp": 4, "vpp": 2, "recompute": "none"})",
        R"({"tp": 8, "pp": 8, "schedule": "gpipe", "recompute": "full"})",
        R"({"tp": 4, "zero": 1, "recompute": "selective"})",
        R"({"tp": 2, "pp": 2, "groups_hold": "replicas", "recompute": "selective"})",
        R"({"zero": 3, "recompute": "full"})"}) {
    CAPTURE(parallel);
    const Json run = base(parallel, 256);
    Json one = run;
    one["parallel"].erase("groups_hold");
    check_alike(answer_of(on_groups(run, kTwins)).answer, estimate(run_of(on_one(one, 64))));
  }
}

TEST_CASE("a single group is today's cluster") {
  const Json one = on_one(base(R"({"tp": 8, "pp": 2})"), 64);
  const Json grouped = on_groups(base(R"({"tp": 8, "pp": 2})"),
                                 R"([{"name": "all", "node": "dgx-h100", "gpus": 64}])");
  CHECK(without_single_group(grouped, "run.json") == one);
  CHECK(without_single_group(one, "run.json") == one);
}

TEST_CASE("slower stages hold fewer layers") {
  const ResolvedMixed r =
      mixed(on_groups(base(R"({"tp": 8, "pp": 2, "recompute": "selective"})"), kUnlike));
  CHECK(r.balanced);
  const Strategy& s = r.run.kinds[0].strategy;
  CHECK(s.stage_layers[0] + s.stage_layers[1] == 24);
  CHECK(s.stage_layers[0] < s.stage_layers[1]);
  // No other split has a shorter sum of all stages and the slowest again for every other micro
  // batch.
  MixedRun other = r.run;
  MixedWorkspace w;
  const auto cost = [&](std::int16_t first) {
    set_layers({first, static_cast<std::int16_t>(24 - first)}, other);
    fill_mixed<double>(other, w);
    const Workspace& p = w.replicas[0];
    const double a = (p.forward[0] + p.backward[0]).si();
    const double b = (p.forward[1] + p.backward[1]).si();
    const auto m = static_cast<double>(other.replicas[0].micro_batches);
    return a + b + (m - 1) * std::max(a, b);
  };
  const double chosen = cost(s.stage_layers[0]);
  for (std::int16_t first = 1; first < 24; ++first) CHECK(cost(first) >= chosen * (1 - 1e-12));
}

TEST_CASE("a split of layers is the best of all contiguous ones") {
  unsigned seed = 7;
  const auto random = [&seed] {
    seed = seed * 1664525 + 1013904223;
    return static_cast<double>(seed >> 8) / 16777216;
  };
  for (int trial = 0; trial < 20; ++trial) {
    constexpr std::int64_t kLayers = 9;
    std::vector<double> layer(kLayers);
    for (double& t : layer) t = 0.5 + random();
    const std::vector<double> speed = {0.5 + random(), 0.5 + random(), 0.5 + random()};
    const auto most = static_cast<std::int64_t>(3 + 6 * random());  // that a part can hold
    const PartTime time = [&](std::size_t i, std::int64_t a,
                              std::int64_t b) -> std::optional<double> {
      if (b - a > most) return {};
      double sum = i == 2 ? 0.7 : 0;
      for (std::int64_t l = a; l < b; ++l) sum += layer[static_cast<std::size_t>(l)] * speed[i];
      return sum;
    };
    const std::int64_t m = 1 + static_cast<std::int64_t>(20 * random());
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t x = 0; x <= kLayers; ++x) {
      for (std::int64_t y = x; y <= kLayers; ++y) {
        const auto t0 = time(0, 0, x), t1 = time(1, x, y), t2 = time(2, y, kLayers);
        if (!t0 || !t1 || !t2) continue;
        best = std::min(best,
                        *t0 + *t1 + *t2 + static_cast<double>(m - 1) * std::max({*t0, *t1, *t2}));
      }
    }
    const SplitLayers split = split_layers(3, kLayers, m, time);
    if (best == std::numeric_limits<double>::infinity()) {
      CHECK(split.layers.empty());
    } else {
      CHECK(split.sum + static_cast<double>(m - 1) * split.most == about(best));
    }
  }
}

TEST_CASE("faster replicas take more micro batches, and no other numbers end sooner") {
  const ResolvedMixed r =
      mixed(on_groups(base(R"({"tp": 8, "zero": 1, "recompute": "selective"})", 61), kUnlike));
  REQUIRE(r.run.replicas.size() == 2);
  const std::int64_t slow = r.run.replicas[0].micro_batches;
  const std::int64_t fast = r.run.replicas[1].micro_batches;
  CHECK(slow < fast);
  CHECK(4 * slow + 4 * fast >= 61);
  MixedWorkspace w;
  fill_mixed<double>(r.run, w);
  const auto ends = [&](std::int64_t a, std::int64_t b) {
    return std::max(pipeline_of_class(r.run, 0, a, w), pipeline_of_class(r.run, 1, b, w));
  };
  const Seconds chosen = ends(slow, fast);
  for (std::int64_t a = 1; a < 16; ++a) {
    for (std::int64_t b = 1; b < 16; ++b) {
      if (4 * a + 4 * b >= 61) CHECK(ends(a, b) >= chosen);
    }
  }
}

TEST_CASE("a rank of tp 2 sends twice the gradient of a rank of tp 4") {
  const ResolvedMixed r = mixed(
      on_groups(base(R"({"group_tp": {"a": 4, "h": 2}, "zero": 0, "recompute": "selective"})", 240),
                kUnlike));
  MixedWorkspace w;
  fill_mixed<double>(r.run, w);
  const auto sent = [&](std::size_t kind) {
    Answer a;
    end_on_kind<double>(r.run, 0, kind, w.kinds[kind], {a});
    double bytes = 0;
    for (std::uint8_t i = 0; i < a.comm_count; ++i) bytes += a.comm[i].bytes.si();
    return bytes;
  };
  CHECK(sent(1) == about(2 * sent(0)).epsilon(0.01));  // norms are whole on every rank
}

// 4,096 tokens of width 4,096 in two bytes over 1 GB/s of a node, which the 8 ranks of a stage
// share: 33.6 MB · 8 / 1 GB/s, and 1 ms.
TEST_CASE("a send between groups goes at the rate of their link") {
  const std::string node = R"("devices_per_node": 8, "tiers": [
      {"name": "in", "kind": "nvswitch", "size": 8, "bandwidth": "400 GB/s", "latency": "0 s",
       "efficiency": 1, "launch": "0 s", "ramp": "0 s"},
      {"name": "out", "kind": "infiniband", "bandwidth": "200 GB/s", "latency": "0 s",
       "efficiency": 1, "launch": "0 s", "ramp": "0 s"}], "host": {"memory_capacity": "1 TB", "memory_bandwidth": "400 GB/s"})";
  Json run = base(R"({"tp": 8, "pp": 2, "recompute": "selective"})");
  run["cluster"] = json_of(R"({"groups": [
      {"name": "a", "node": {"name": "x", "device": "a100-sxm4-80gb", )" +
                           node + R"(}, "gpus": 8},
      {"name": "h", "node": {"name": "y", "device": "h100-sxm5-80gb", )" +
                           node + R"(}, "gpus": 8}],
    "links": [{"bandwidth": "1 GB/s", "latency": "1 ms"}]})");
  run["framework"] = "generic";
  const ResolvedMixed r = mixed(run);
  const Seconds t = send_between<double>(r.run, {0, 0}, {1, 1}).send.time;
  CHECK(t.si() == about(4096.0 * 4096 * 2 * 8 / 1e9 + 1e-3).epsilon(1e-6));
}

TEST_CASE("a slower link makes no step shorter") {
  Seconds before(0);
  for (const char* rate : {"400 GB/s", "50 GB/s", "5 GB/s", "500 MB/s"}) {
    Json run = on_groups(base(R"({"tp": 8, "zero": 1, "recompute": "selective"})"), kUnlike);
    run["cluster"]["links"] =
        json_of(R"([{"bandwidth": ")" + std::string(rate) + R"(", "latency": "5 us"}])");
    const Seconds step = answer_of(run).answer.step_time;
    CHECK(step >= before);
    before = step;
  }
}

TEST_CASE("a link that nobody gave is named as open") {
  const ResolvedMixed r = mixed(on_groups(base(R"({"tp": 8, "pp": 2})"), kUnlike));
  const Fact* f = find_fact(r.whole.assumed, "cluster.links");
  REQUIRE(f != nullptr);
  CHECK(f->known == Known::open);
  CHECK_FALSE(r.whole.warnings.empty());
}

TEST_CASE("the interval of a step feels a link that nobody gave") {
  const Json open = on_groups(base(R"({"tp": 8, "pp": 2})"), kUnlike);
  const ResolvedMixed r = mixed(open);
  const auto key = std::find_if(r.whole.open.begin(), r.whole.open.end(),
                                [](const OpenKey& k) { return k.path == "cluster.links"; });
  REQUIRE(key != r.whole.open.end());
  REQUIRE(key->alternatives.size() == 2);
  // The same run with the link given, as it is taken and with a taper of 7.
  const auto given = [&](double taper) {
    const GroupLink& l = link_of(r.run, 0, 1);
    Json run = open;
    run["cluster"]["links"] = {
        {{"bandwidth", l.bandwidth.si() / taper}, {"latency", l.latency.si()}}};
    return answer_of(run);
  };
  const Answer full = given(1).answer;
  const double ratio = given(7).answer.step_time / full.step_time;
  CHECK(ratio > 1);
  CHECK(key->alternatives[1].time_ratio == about(ratio).epsilon(1e-9));
  const Answer felt = answer_of(open).answer;
  CHECK(felt.step_time == full.step_time);
  // √(ln²(high) + z²·Σ w·ln²(ratio)), a third for each taper.
  const double own = std::log(full.interval_high / full.step_time);
  const double other = std::log(key->alternatives[0].time_ratio);
  const double half = std::sqrt(
      own * own + kNormal80 * kNormal80 / 3 * (other * other + std::log(ratio) * std::log(ratio)));
  CHECK(std::log(felt.interval_high / felt.step_time) == about(half).epsilon(1e-9));
  CHECK(felt.interval_low == full.interval_low);
}

TEST_CASE("the resolved inputs of a run on groups are the same run") {
  const Json run = on_groups(base(R"({"tp": 8, "pp": 2, "recompute": "selective"})"), kUnlike);
  const ResolvedMixed r = mixed(run);
  MixedWorkspace w;
  const Seconds again = estimate_mixed<double>(mixed(*r.whole.inputs).run, w).answer.step_time;
  CHECK(again == answer_of(run).answer.step_time);
}

TEST_CASE("sharded states go where memory is left") {
  const std::string kinds = R"([{"name": "a", "node": "dgx-a100-40gb", "gpus": 8},
                                {"name": "h", "node": "dgx-h100", "gpus": 8}])";
  const Json run = on_groups(base(R"({"zero": 3, "recompute": "full"})", 64), kinds);
  Json shared = run;
  shared["parallel"]["state_shares"] = "by_memory";
  const ResolvedMixed equal = mixed(run);
  const ResolvedMixed by_memory = mixed(shared);
  REQUIRE(by_memory.run.state_share.size() == 2);
  // The shards hold the same bytes in all.
  const std::vector<double>& share = by_memory.run.state_share;
  CHECK(share[0] < 1);
  CHECK(share[0] + share[1] == about(2.0));
  const auto fullest = [](const ResolvedMixed& r) {
    MixedWorkspace w;
    double most = 0;
    for (const StageSeat& s : estimate_mixed<double>(r.run, w).seats) {
      most = std::max(most, double(s.needed / s.capacity));
    }
    return most;
  };
  CHECK(fullest(by_memory) <= fullest(equal));
}

TEST_CASE("GPUs that no stage takes are refused") {
  const std::string odd = R"([{"name": "a", "node": "dgx-a100-80gb", "gpus": 48},
                              {"name": "h", "node": "dgx-h100", "gpus": 32}])";
  CHECK_THROWS_AS(mixed(on_groups(base(R"({"tp": 8, "pp": 2, "dp": 4})"), odd)), InputError);
}
