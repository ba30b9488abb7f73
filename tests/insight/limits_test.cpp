// SPDX-License-Identifier: Apache-2.0
// Limits are edges: at the value the run fits or is fast enough, one step beyond it is not. Each is
// checked by resolving the run anew with the settings that the answer types.
#include "insight/limits.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/json_path.h"
#include "estimate/fits_at_risk.h"
#include "estimate/mixed_memory.h"
#include "hardware/cluster_links.h"
#include "insight/limit_trial.h"
#include "insight/mixed_report.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::json_of;
using testing::shipped_configs;

Json one_node() {
  return json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 16}, "framework": "torchtitan",
      "parallel": {"zero": 3, "recompute": "selective"}})");
}

Json two_nodes() {
  return testing::with(one_node(),
                       R"({"cluster": {"gpus": 16}, "training": {"global_batch": 32}})");
}

LimitsReport limits(const Json& run, std::vector<LimitKind> kinds, bool keeps_layout = true,
                    const std::string& versus = "") {
  LimitQuestion q;
  q.run = run;
  q.file = "run.json";
  q.lookup = shipped_configs();
  q.kinds = std::move(kinds);
  q.keeps_layout = keeps_layout;
  q.versus = versus;
  return limits_of(q);
}

Limit limit(const Json& run, LimitKind kind) { return limits(run, {kind}).limits.at(0); }

// Resolved anew, as the user would.
LimitPoint at(const Json& run, const std::vector<Setting>& settings) {
  const ResolvedRun r = resolve_chosen(with_changes(run, settings), "run.json", shipped_configs());
  return {r.run, estimate(r.run)};
}

bool fits(const LimitPoint& p) { return fits_at_risk(p.run, p.answer); }

}  // namespace

TEST_CASE("the longest sequence does not depend on the length in the question") {
  const auto longest = [](std::int64_t tokens) {
    Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
        "training": {"global_batch": 64}, "framework": "fsdp"})");
    run["training"]["sequence_length"] = tokens;
    return limits(run, {LimitKind::sequence_length}, false);
  };
  const LimitsReport of_short = longest(8192);
  const LimitsReport of_long = longest(65536);
  REQUIRE(of_short.limits.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(of_short.limits[i].value == of_long.limits[i].value);
  CHECK(*of_short.limits[1].value > 65536);
}

TEST_CASE("the longest sequence fits with what is typed, and two tokens more do not") {
  const Limit l = limit(one_node(), LimitKind::sequence_length);
  REQUIRE(l.value);
  const auto tokens = static_cast<std::int64_t>(*l.value);
  CHECK(fits(at(one_node(), l.settings)));
  CHECK(at(one_node(), l.settings).run.training.sequence == tokens);
  CHECK(!fits(at(one_node(), {{"training.sequence_length", std::to_string(tokens + 2)}})));
}

TEST_CASE("the largest micro batch keeps the number of micro batches or the batch") {
  const Limit l = limit(one_node(), LimitKind::micro_batch);
  REQUIRE(l.value);
  const LimitPoint p = at(one_node(), l.settings);
  CHECK(fits(p));
  CHECK(p.run.strategy.micro_batch == static_cast<std::int64_t>(*l.value));
  const auto next = static_cast<std::int64_t>(*l.value) + 1;
  // Two micro batches on each of eight replicas, as in the run.
  CHECK(!fits(at(one_node(), {{"training.micro_batch", std::to_string(next)},
                              {"training.global_batch", std::to_string(8 * 2 * next)}})));
}

TEST_CASE("the fewest GPUs change data parallelism alone") {
  const Limit l = limit(one_node(), LimitKind::gpus);
  REQUIRE(l.value);
  const LimitPoint p = at(one_node(), l.settings);
  CHECK(fits(p));
  CHECK(p.run.strategy.tp == 1);
  const auto half = static_cast<std::int64_t>(*l.value) / 2;
  REQUIRE(half >= 1);
  CHECK(!fits(at(one_node(), {{"cluster.gpus", std::to_string(half)}})));
}

TEST_CASE("layers and width grow the model to the last that fits") {
  const Limit layers = limit(one_node(), LimitKind::layers);
  REQUIRE(layers.value);
  REQUIRE(layers.there);
  CHECK(layers.there->run.model.layers == static_cast<std::int64_t>(*layers.value));
  CHECK(fits(*layers.there));
  const Limit width = limit(one_node(), LimitKind::width);
  REQUIRE(width.there);
  const Architecture& m = width.there->run.model;
  CHECK(m.hidden == static_cast<std::int64_t>(*width.value));
  CHECK(m.hidden == m.heads * m.head_dim);
  CHECK(m.heads / m.kv_heads == 4);           // as llama-3-8b has
  CHECK(2 * m.intermediate == 7 * m.hidden);  // 14,336 over 4,096
  CHECK(fits(*width.there));
  const Json mixture = testing::with(one_node(), R"({"model": "mixtral-8x7b"})");
  CHECK(!limit(mixture, LimitKind::width).value);
}

TEST_CASE("the slowest network makes the step exactly as much longer as was allowed") {
  const Limit l = limit(two_nodes(), LimitKind::network);
  REQUIRE(l.value);
  CHECK(*l.value < 1);
  const LimitPoint base = at(two_nodes(), {});
  const LimitPoint slow = at(two_nodes(), l.settings);
  CHECK(slow.answer.step_time.si() == about(1.1 * base.answer.step_time.si()).epsilon(1e-6));
  CHECK(network_rate(slow.run.cluster).si() ==
        about(*l.value * network_rate(base.run.cluster).si()).epsilon(1e-9));
  CHECK(!limit(one_node(), LimitKind::network).value);
}

TEST_CASE("the least device memory is a whole number of GiB, and one less is too little") {
  const Limit l = limit(one_node(), LimitKind::memory);
  REQUIRE(l.value);
  CHECK(fits(at(one_node(), l.settings)));
  const std::string less = std::to_string(static_cast<std::int64_t>(*l.value) - 1) + " GiB";
  CHECK(!fits(at(one_node(), {{"cluster.device.memory_capacity", less}})));
}

TEST_CASE("at the price of equal cost, seconds times price are the same on both nodes") {
  const Limit l = limits(one_node(), {LimitKind::price}, true, "hgx-h200").limits.at(0);
  REQUIRE(l.value);
  const double here = at(one_node(), {}).answer.step_time.si();
  const double there = at(one_node(), l.settings).answer.step_time.si();
  CHECK(*l.value * there == about(here).epsilon(1e-12));
}

TEST_CASE("a searched layout reaches at least as far as the run's own") {
  const LimitsReport r = limits(one_node(), {LimitKind::sequence_length}, false);
  REQUIRE(r.limits.size() == 2);
  CHECK(*r.limits[1].value + 1024 > *r.limits[0].value);
  CHECK(fits(at(one_node(), r.limits[1].settings)));
}

TEST_CASE("a run that does not fit has no step of its own to compare with") {
  const Json big = json_of(R"({"model": "llama-3-70b", "cluster": {"node": "dgx-h100", "gpus": 16},
      "training": {"sequence_length": 8192, "global_batch": 128}, "framework": "megatron-core"})");
  const LimitsReport held = limits(big, {LimitKind::network});
  CHECK(!held.base);
  CHECK(!held.limits.at(0).value);
}

namespace {

// Half of the devices have half of the memory.
Json two_kinds() {
  return json_of(R"({"model": "llama-3-8b", "cluster": {
      "groups": [{"name": "a", "node": "dgx-a100-40gb", "gpus": 8},
                 {"name": "h", "node": "dgx-h100", "gpus": 8}],
      "links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]},
      "training": {"sequence_length": 4096, "global_batch": 32}, "framework": "megatron-core",
      "parallel": {"tp": 4, "pp": 2, "dp": 2, "recompute": "selective"}})");
}

MixedReport groups_at(const std::vector<Setting>& settings) {
  return mixed_report_on(
      resolve_mixed(with_changes(two_kinds(), settings), "run.json", shipped_configs()));
}

bool groups_fit(const std::vector<Setting>& settings) {
  const MixedReport m = groups_at(settings);
  return fits_at_risk(m.resolved.run, m.answer);
}

}  // namespace

TEST_CASE("limits of several kinds of node are edges of the run that the estimate judges") {
  const Limit sequence = limit(two_kinds(), LimitKind::sequence_length);
  REQUIRE(sequence.value);
  const auto tokens = static_cast<std::int64_t>(*sequence.value);
  CHECK(groups_fit({{"training.sequence_length", std::to_string(tokens)}}));
  CHECK(!groups_fit({{"training.sequence_length", std::to_string(tokens + 4)}}));  // tp 4
  CHECK(groups_at(sequence.settings).answer.answer.step_time == sequence.there->answer.step_time);
  // Layers are balanced anew, so that one more need not be one more of each stage.
  const Limit layers = limit(two_kinds(), LimitKind::layers);
  REQUIRE(layers.there);
  CHECK(layers.there->run.model.layers == static_cast<std::int64_t>(*layers.value));
}

TEST_CASE("the least memory of a group is asked beside the others as they are") {
  const LimitsReport r = limits(two_kinds(), {LimitKind::memory});
  REQUIRE(r.limits.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const Limit& l = r.limits[k];
    CHECK(l.group == (k == 0 ? "a" : "h"));
    CHECK(l.path == "cluster.groups." + std::to_string(k) + ".device.memory_capacity");
    REQUIRE(l.value);
    CHECK(groups_fit(l.settings));
    const std::string less = std::to_string(static_cast<std::int64_t>(*l.value) - 1) + " GiB";
    const MixedReport m = groups_at({{l.path, less}});
    const bool slow = m.answer.answer.step_time > r.base->answer.step_time * (1 + r.within);
    CHECK((slow || !fits_at_risk(m.resolved.run, m.answer)));
  }
}

TEST_CASE("groups shrink in proportion, and any layout asks each of them alone") {
  const LimitsReport r = limits(two_kinds(), {LimitKind::gpus}, false);
  REQUIRE(r.limits.size() == 3);
  // tp 4 and one stage a group: a replica is four GPUs of each.
  CHECK(r.limits[0].value == 8.0);
  CHECK(groups_at(r.limits[0].settings).resolved.run.gpus == std::vector<std::int64_t>{4, 4});
  // Eight H100s hold 8 billion parameters by themselves.
  CHECK(r.limits[1].group == "a");
  CHECK(r.limits[1].value == 0.0);
}

TEST_CASE("the slowest networks of groups make the step as much longer as was allowed") {
  const LimitsReport r = limits(two_kinds(), {LimitKind::network});
  REQUIRE(r.limits.at(0).value);
  const MixedReport slow = groups_at(r.limits[0].settings);
  CHECK(slow.answer.answer.step_time.si() ==
        about(1.1 * r.base->answer.step_time.si()).epsilon(1e-6));
  CHECK(link_of(slow.resolved.run, 0, 1).bandwidth.si() ==
        about(*r.limits[0].value * 100e9).epsilon(1e-9));
}

TEST_CASE("the fewest GPUs of a run that sets dp set it too") {
  const Json run = testing::with(one_node(), R"({"parallel": {"dp": 8}})");
  const Limit l = limit(run, LimitKind::gpus);
  REQUIRE(l.value);
  CHECK(fits(at(run, l.settings)));
}

}  // namespace orrery
