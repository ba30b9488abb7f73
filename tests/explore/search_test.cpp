// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "estimate/classes.h"
#include "estimate/fits_at_risk.h"
#include "estimate/links.h"
#include "estimate/risk.h"
#include "explore/space_json.h"
#include "explore/unit_walk.h"
#include "support/runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::kSanitized;
using testing::shipped_configs;

// Two metrics under the names that the report module gives them.
MetricSource test_metrics() {
  return {{"step_time_s", "memory.peak_gib"},
          {MetricTrend::rises, MetricTrend::known},
          [](std::size_t i, const Run&, const Answer& a) -> double {
            return i == 0 ? a.step_time.si() : a.memory.peak / kGiB;
          }};
}

SearchRequest request_of(const std::string& run, const Json& search) {
  return read_search(json_of(run), "run.json", shipped_configs(), search, test_metrics());
}

SearchRequest request_of(const std::string& run, const char* search) {
  return request_of(run, json_of(search));
}

// Every degree of tensor parallelism that is free runs the same code.
Json narrowed_if_sanitized(Json search) {
  if (kSanitized) search["axes"]["tp"] = 2;
  return search;
}

// A search as anybody would write it: every combination, each through plain estimate.
struct BruteForce {
  explicit BruteForce(const Space& space) : space_(space) {
    for (const Unit& u : units_of(space)) {
      run_ = space.bases[u.base].run;
      set_degrees(space, u, run_.strategy);
      UnitWalk(space, u).cells([&](const SearchCell& cell) {
        for_each_point(cell, [&](const Point& p) { judge(u, p); });
      });
    }
    std::sort(feasible.begin(), feasible.end());
  }

  std::int64_t candidates = 0;
  std::int64_t infeasible = 0;
  std::int64_t too_risky = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  std::vector<std::tuple<double, double, std::int64_t, std::int64_t>> feasible;
  std::map<std::pair<std::size_t, std::int64_t>, double> family_best;

 private:
  void judge(const Unit& u, const Point& p) {
    ++candidates;
    set_point(space_, space_.bases[u.base], p, run_.strategy);
    const RuleId broken = first_broken(run_.strategy, run_.model, shape_of(run_));
    if (broken != RuleId::none) {
      ++rejected[static_cast<std::size_t>(broken)];
      return;
    }
    const Answer a = estimate<double>(run_, workspace_);
    if (a.reason != Reason::fits) {
      ++infeasible;
      return;
    }
    if (!fits_at_risk(run_, a)) {
      ++too_risky;
      return;
    }
    const double step = a.step_time.si();
    feasible.emplace_back(step, a.memory.peak.si(), u.id, p.number);
    for (std::size_t i = 0; i < kSearchAxes; ++i) {
      const std::int64_t value = value_at(space_, u, p, static_cast<SearchAxis>(i));
      const auto [it, first] = family_best.try_emplace({i, value}, step);
      if (!first) it->second = std::min(it->second, step);
    }
  }

  const Space& space_;
  Run run_;
  Workspace workspace_;
};

void check_equals_brute_force(const Space& space, const SearchAnswer& a) {
  const BruteForce all(space);
  CHECK(a.candidates == all.candidates);
  CHECK(a.rejected == all.rejected);
  CHECK(a.infeasible == all.infeasible);
  CHECK(a.too_risky == all.too_risky);
  CHECK(a.pruned + a.estimated == static_cast<std::int64_t>(all.feasible.size()));
  REQUIRE(a.best.size() == std::min<std::size_t>(7, all.feasible.size()));
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    const auto& [step, peak, unit, number] = all.feasible[i];
    CHECK(a.best[i].step_time.si() == step);
    CHECK(a.best[i].peak.si() == peak);
    CHECK(a.best[i].place.unit == unit);
    CHECK(a.best[i].place.point.number == number);
  }
  const double band = std::get<0>(all.feasible[0]) * a.tie;
  CHECK(a.ties == std::count_if(all.feasible.begin(), all.feasible.end(),
                                [band](const auto& f) { return std::get<0>(f) <= band; }));
  for (const Family& f : a.families) {
    const auto best = all.family_best.find({f.axis, f.value});
    REQUIRE((best != all.family_best.end()) == (f.feasible > 0));
    if (f.feasible > 0) CHECK(f.best.step_time.si() == best->second);
  }
}

SearchOptions options_of(unsigned workers) {
  SearchOptions o;
  o.top = 7;
  o.tie = 1.03;
  o.workers = workers;
  o.parallel = [workers](const std::function<void(unsigned)>& work) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
  };
  return o;
}

constexpr const char* kLlama8 = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
  "training": {"sequence_length": 8192, "global_batch": 32}, "framework": "megatron-core"})";
constexpr const char* kGpt = R"({
  "model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 256},
  "training": {"sequence_length": 2048, "global_batch": 64}, "framework": "megatron-lm"})";
constexpr const char* kMixtral = R"({
  "model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 32},
  "training": {"sequence_length": 4096, "global_batch": 32}, "framework": "megatron-core"})";
constexpr const char* kFsdp = R"({
  "model": "llama-3-8b", "cluster": {"node": "a100-pcie-80gb", "gpus": 24},
  "training": {"sequence_length": 4096, "global_batch": 48}, "framework": "torchtitan"})";

TEST_CASE("a search finds what brute force over plain estimates finds") {
  struct Case {
    const char* run;
    const char* search;
  };
  for (const Case& c : {
           Case{kLlama8, "{}"},
           Case{kGpt, R"({"axes": {"micro_batch": {"max": 2}, "cp": 1, "zero": [1, 3]}})"},
           Case{kMixtral,
                R"({"axes": {"cp": [1, 2], "recompute": ["none", "selective", "full"]}})"},
           Case{kFsdp, R"({"axes": {"schedule": ["gpipe", "1f1b", "breadth-first"]}})"},
       }) {
    CAPTURE(c.run);
    const SearchRequest request = request_of(c.run, narrowed_if_sanitized(json_of(c.search)));
    check_equals_brute_force(request.space, search(request.space, options_of(1)));
  }
}

// The numbers of layers that a search tries to recompute, on eight GPUs of a torchtitan run.
std::set<std::int64_t> layers_tried(const char* search) {
  const SearchRequest r = request_of(R"({
      "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 8}, "framework": "torchtitan",
      "parallel": {"tp": 1, "pp": 1, "cp": 1}})",
                                     search);
  std::set<std::int64_t> layers;
  for (const Unit& u : units_of(r.space)) {
    const UnitWalk walk(r.space, u);
    std::int64_t number = 0;
    walk.cells([&](const SearchCell& cell) {
      for_each_point(cell, [&](const Point& p) {
        if (p.recompute == kLayersChoice) layers.insert(p.recompute_layers);
        CHECK(walk.point(p.number).recompute_layers == p.recompute_layers);
        CHECK(p.number == number++);
      });
    });
  }
  return layers;
}

TEST_CASE("a search keeps to one layer in n where the framework has no other") {
  // Every second to every 32nd of 32 layers.
  CHECK(layers_tried("{}") == std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 8, 10, 16});
  CHECK(layers_tried(R"({"axes": {"recompute": "free"}})").size() == 9);
  CHECK(layers_tried(R"({"axes": {"recompute_layers": "free"}})").size() == 31);
  CHECK(layers_tried(R"({"axes": {"recompute_layers": [7, 8]}})") == std::set<std::int64_t>{7, 8});
}

TEST_CASE("a search answers the same for any number of workers") {
  const SearchRequest request = request_of(kLlama8, "{}");
  const SearchAnswer one = search(request.space, options_of(1));
  CHECK(one.pruned > 0);
  for (const unsigned n : {2U, 3U, 8U}) {
    const SearchAnswer many = search(request.space, options_of(n));
    CHECK(many.candidates == one.candidates);
    CHECK(many.rejected == one.rejected);
    CHECK(many.infeasible == one.infeasible);
    CHECK(many.pruned == one.pruned);
    CHECK(many.estimated == one.estimated);
    CHECK(many.ties == one.ties);
    REQUIRE(many.best.size() == one.best.size());
    for (std::size_t i = 0; i < one.best.size(); ++i) {
      CHECK(many.best[i].place.unit == one.best[i].place.unit);
      CHECK(many.best[i].place.point.number == one.best[i].place.point.number);
    }
    REQUIRE(many.families.size() == one.families.size());
    for (std::size_t i = 0; i < one.families.size(); ++i) {
      CHECK(many.families[i].best.place.unit == one.families[i].best.place.unit);
      CHECK(many.families[i].nearest.place.unit == one.families[i].nearest.place.unit);
    }
  }
}

TEST_CASE("families are counted where more fit than wait for an estimate at a time") {
  const SearchRequest request = request_of(kLlama8, R"({"axes": {"tp": 1, "cp": [1, 2], "pp": 1,
      "micro_batch": [1, 2], "zero_shard_group": "free", "offload": "free"}})");
  const SearchAnswer a = search(request.space, options_of(1));
  CHECK(a.pruned + a.estimated > 1024);
  for (const Family& f : a.families) {
    if (f.axis != static_cast<std::size_t>(SearchAxis::offload)) continue;
    CHECK(f.candidates == a.candidates / 8);
  }
}

TEST_CASE("constraints and objectives choose as a filter over everything would") {
  const Json axes = json_of(R"({"micro_batch": [1, 2]})");
  const SearchRequest all = request_of(kLlama8, {{"axes", axes}});
  const BruteForce everything(all.space);
  const Json constraints = {"tp <= 2", "memory.peak_gib <= 60", "step_time_s > 3.5"};
  const SearchRequest some = request_of(kLlama8, {{"axes", axes}, {"constraints", constraints}});
  SearchOptions options = options_of(2);
  options.conditions = &some.conditions;
  const SearchAnswer a = search(some.space, options);
  REQUIRE(!a.best.empty());
  for (const Found& f : a.best) {
    CHECK(f.strategy.tp <= 2);
    CHECK(f.peak <= 60.0 * kGiB);
    CHECK(f.step_time > Seconds(3.5));
  }
  CHECK(a.refused[0] > 0);
  CHECK(a.refused[1] > 0);
  CHECK(a.candidates == everything.candidates);

  const Json objective = {{"minimize", "memory.peak_gib"}};
  const SearchRequest least = request_of(kLlama8, {{"axes", axes}, {"objective", objective}});
  options.conditions = &least.conditions;
  const SearchAnswer b = search(least.space, options);
  CHECK(b.pruned > 0);  // what needs more memory is known not to be the best
  double smallest = 1e30;
  for (const auto& f : everything.feasible) smallest = std::min(smallest, std::get<1>(f));
  CHECK(b.best[0].peak.si() == smallest);
}

TEST_CASE("what does not fit is counted, and the nearest is named") {
  const SearchRequest request = request_of(
      R"({"model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
          "training": {"sequence_length": 2048, "global_batch": 8}, "framework": "megatron-lm"})",
      "{}");
  const SearchAnswer a = search(request.space, options_of(1));
  CHECK(a.best.empty());
  CHECK(a.estimated == 0);
  CHECK(a.infeasible > 0);
  CHECK(a.nearest.peak > request.space.bases[0].run.cluster.device.memory_capacity);
}

bool same_place(const Found& a, const Found& b) {
  return a.place.unit == b.place.unit && a.place.base == b.place.base &&
         a.place.point == b.place.point && a.strategy.partition == b.strategy.partition &&
         a.step_time == b.step_time && a.peak == b.peak;
}

TEST_CASE("without counts a search finds the same strategies") {
  const std::string gpt_on_8 =
      R"({"model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
          "training": {"sequence_length": 2048, "global_batch": 8}, "framework": "megatron-lm"})";
  const char* recomputed = R"({"axes": {"cp": [1, 2], "micro_batch": {"max": 4},
      "recompute": ["none", "selective", "full", "layers"], "offload": [{}, {"optimizer": "host"}],
      "schedule": ["gpipe", "1f1b", "interleaved", "breadth-first"]}})";
  const char* written_out = R"({"axes": {"cp": 1, "micro_batch": [1, 2], "vpp": [1, 2],
      "schedule": ["1f1b", "zb-h1", "zb-v", "dualpipe", "dualpipev"]}})";
  for (const std::string& run : {std::string(kLlama8), std::string(kGpt), std::string(kMixtral),
                                 std::string(kFsdp), gpt_on_8}) {
    for (const char* axes : {recomputed, written_out}) {
      const SearchRequest request = request_of(run, narrowed_if_sanitized(json_of(axes)));
      SearchOptions o;
      o.top = 1;
      o.ties = false;
      o.families = false;
      const SearchAnswer counted = search(request.space, o);
      o.counts = false;
      const SearchAnswer a = search(request.space, o);
      REQUIRE(a.best.size() == counted.best.size());
      if (a.best.empty()) continue;
      CHECK(same_place(a.best[0], counted.best[0]));
      CHECK(same_place(a.recommended, counted.recommended));
    }
  }
}

TEST_CASE("a strategy written into its run file is the strategy") {
  for (const char* text : {kLlama8, kGpt, kMixtral}) {
    const SearchRequest request = request_of(text, "{}");
    Run run = request.space.bases[0].run;
    const std::vector<Unit> units = units_of(request.space);
    int checked = 0;
    for (std::size_t i = 0; i < units.size(); i += 3) {
      set_degrees(request.space, units[i], run.strategy);
      int seen = 0;
      UnitWalk(request.space, units[i]).cells([&](const SearchCell& cell) {
        for_each_point(cell, [&](const Point& p) {
          if (++seen % (kSanitized ? 389 : 97) != 0) return;
          set_point(request.space, request.space.bases[0], p, run.strategy);
          if (first_broken(run.strategy, run.model, shape_of(run)) != RuleId::none) return;
          const Json file = with_strategy(json_of(text), request.space, 0, run.strategy);
          const Run again = testing::run_of(file);
          const Answer a = estimate(run);
          const Answer b = estimate(again);
          CHECK(a.step_time == b.step_time);
          CHECK(a.memory.peak == b.memory.peak);
          CHECK(a.breakdown == b.breakdown);
          ++checked;
        });
      });
    }
    CHECK(checked > 8);
  }
}

TEST_CASE("a key that no axis varies is the run's in every candidate") {
  const Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 32},
      "training": {"sequence_length": 65536, "global_batch": 32, "micro_batch": 1,
                   "sequence_lengths": [{"length": 2048, "share": 0.95},
                                        {"length": 65536, "share": 0.05}]},
      "parallel": {"cp_type": "all_gather", "dynamic_cp": true}})");
  const SearchRequest request =
      request_of(run.dump(), json_of(R"({"axes": {"cp": [16, 32], "tp": 1, "pp": 1}})"));
  SearchOptions o;
  o.top = 3;
  const SearchAnswer a = search(request.space, o);
  REQUIRE(!a.best.empty());
  for (const Found& f : a.best) {
    CHECK(f.strategy.dynamic_cp);
    const Json file = with_strategy(run, request.space, f.place.base, f.strategy);
    CHECK(estimate(testing::run_of(file)).step_time.si() == f.objective);
  }
}

std::int64_t replicas_of(const Strategy& s) { return s.dp * s.cp; }

// Checks one candidate in 211 and counts them. `least`: the bound is not above the step.
int check_bounds(const SearchRequest& request, double least) {
  Run run = request.space.bases[0].run;
  Workspace w;
  int checked = 0;
  for (const Unit& u : units_of(request.space)) {
    set_degrees(request.space, u, run.strategy);
    std::int64_t seen = u.id;
    UnitWalk(request.space, u).cells([&](const SearchCell& cell) {
      for_each_point(cell, [&](const Point& p) {
        if (++seen % 211 != 0) return;
        set_point(request.space, request.space.bases[0], p, run.strategy);
        if (first_broken(run.strategy, run.model, shape_of(run)) != RuleId::none) return;
        const Seconds step = estimate<double>(run, w).step_time;
        Answer known;
        answer_least(run, w, least_pipeline(run, w), 1, known);
        const Seconds bound = known.step_time;
        CHECK(bound.si() <= step.si() * (1 + 1e-12));
        CHECK(bound.si() > least * step.si());
        const Seconds blocks = least_of_blocks(run, w.prices, blocks_of(Strategy(), run.model, 0));
        CHECK(blocks.si() > 0);
        const bool fits = estimate(run).reason == Reason::fits;
        if (fits) CHECK(!no_layout_fits(run, w.prices, blocks_of(Strategy(), run.model, 0)));
        const Seconds pipeline = least_pipeline(run, w);
        CHECK(blocks.si() <= pipeline.si() * (1 + 1e-12));
        fill_least_costs(run, w, {replicas_of(run.strategy)});
        CHECK(blocks.si() <= least_pipeline(run, w).si() * (1 + 1e-12));
        CHECK(least_pipeline(run, w).si() <= pipeline.si() * (1 + 1e-12));
        ++checked;
      });
    });
  }
  return checked;
}

TEST_CASE("the bound on a step is below the step") {
  CHECK(check_bounds(request_of(kGpt, R"({"axes": {
      "schedule": ["gpipe", "1f1b", "interleaved", "breadth-first"]}})"),
                     0.3) > 100);
  CHECK(check_bounds(request_of(kMixtral, R"({"axes": {
      "schedule": ["zb-h1", "zb-v", "v-half", "dualpipe", "dualpipev"]}})"),
                     0.05) > 30);
  for (const char* run : {kFsdp, kMixtral}) {
    CHECK(check_bounds(
              request_of(run, R"({"axes": {"tp": [1, 4], "partition": "free", "offload": "free",
        "schedule": ["1f1b", "interleaved", "zb-v", "dualpipe"]}})"),
              0.0) > 100);
  }
}

}  // namespace
}  // namespace orrery
