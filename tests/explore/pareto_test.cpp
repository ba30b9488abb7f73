// SPDX-License-Identifier: Apache-2.0
//
// Searches of small random spaces with every option, held against brute force over plain estimates.
#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "explore/search.h"
#include "explore/search_team.h"
#include "explore/space_json.h"
#include "explore/unit_walk.h"
#include "explore/worker.h"
#include "support/runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::kSanitized;
using testing::shipped_configs;

MetricSource few_metrics() {
  return {{"step_time_s", "memory.peak_gib", "tokens_per_s", "breakdown_s.compute"},
          {MetricTrend::rises, MetricTrend::known, MetricTrend::falls, MetricTrend::unknown},
          [](std::size_t i, const Run& run, const Answer& a) -> double {
            const double tokens =
                static_cast<double>(run.training.global_batch * run.training.sequence);
            const double compute = a.breakdown[Term::compute].si();
            const std::array<double, 4> values = {a.step_time.si(), a.memory.peak / kGiB,
                                                  tokens / a.step_time.si(), compute};
            return values[i];
          }};
}

constexpr const char* kRun = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
  "training": {"sequence_length": 8192, "global_batch": 32}, "framework": "megatron-core"})";

SearchRequest request_of(const Json& search) {
  return read_search(json_of(kRun), "run.json", shipped_configs(), search, few_metrics());
}

bool maybe(std::mt19937& random, double share) {
  return std::uniform_real_distribution<>(0, 1)(random) < share;
}

const char* one_of(std::mt19937& random, const std::vector<const char*>& texts) {
  return texts[std::uniform_int_distribution<std::size_t>(0, texts.size() - 1)(random)];
}

// Random constraints, objectives and aims.
void add_conditions(std::mt19937& random, Json& s) {
  for (const char* c :
       {"memory.peak_gib <= 60", "tp * pp <= 8", "step_time_s < 4",
        "interval_80.step_time_s[1] / gpus < 0.5 or micro_batch == 1", "breakdown_s.compute < 3"}) {
    if (maybe(random, 0.3)) s["constraints"].push_back(c);
  }
  if (maybe(random, 0.6)) {
    s["objective"] = json_of(one_of(random, {R"({"minimize": "step_time_s * gpus"})",
                                             R"({"maximize": "tokens_per_s / memory.peak_gib"})",
                                             R"({"minimize": "breakdown_s.compute"})",
                                             R"({"minimize": "cost + 0.01 * memory.peak_gib"})"}));
  }
  s["price"] = {{"gpu_hour", 2}};
  if (maybe(random, 0.7)) {
    s["pareto"] =
        json_of(one_of(random, {R"(["step_time_s", "memory.peak_gib"])",
                                R"(["step_time_s", "gpus", {"maximize": "micro_batch"}])",
                                R"([{"maximize": "tokens_per_s"}, "cost", "memory.peak_gib"])",
                                R"(["breakdown_s.compute", "memory.peak_gib"])"}));
  }
  s["top"] = 4;
  s["tie"] = 0.02;
}

// Few strategies on several machines.
Json random_machines(std::mt19937& random) {
  Json s = json_of(R"({"axes": {"cp": 1, "recompute_layers": [3], "schedule": ["1f1b"]}})");
  Json& axes = s["axes"];
  axes["tp"] = json_of(one_of(random, {"[1, 4]", "[2, 8]", "[8]"}));
  axes["pp"] = json_of(one_of(random, {"[1]", "[1, 2]", "[2]"}));
  axes["micro_batch"] = json_of(one_of(random, {"[1]", "[1, 2]"}));
  axes["zero"] = json_of(one_of(random, {"[0, 1]", "[1, 3]", "[1]"}));
  if (maybe(random, 0.6))
    axes["cluster.device.memory_capacity"] = json_of(R"(["40 GiB", "80 GiB"])");
  if (maybe(random, 0.5)) {
    axes["cluster.tiers.infiniband.bandwidth"] = json_of(R"(["5 GB/s", "50 GB/s"])");
  }
  if (maybe(random, 0.3))
    axes["cluster.tiers.nvswitch.bandwidth"] = json_of(R"(["100 GB/s", "450 GB/s"])");
  if (maybe(random, 0.2)) axes["gpus"] = json_of("[8, 16]");
  add_conditions(random, s);
  return s;
}

// A random subset of axes.
Json random_search(std::mt19937& random) {
  Json s = json_of(R"({"axes": {"tp": [1, 4], "cp": 1, "pp": [1, 2],
                                "micro_batch": [2], "recompute_layers": [3],
                                "schedule": ["1f1b", "interleaved", "gpipe"]}})");
  Json& axes = s["axes"];
  if (maybe(random, 0.4))
    axes["recompute_modules"] =
        json_of(one_of(random, {"\"free\"", "[[\"core_attn\"], [\"mlp\"]]"}));
  if (maybe(random, 0.4))
    axes["offload"] = json_of(one_of(random, {"\"free\"", "[{}, {\"optimizer\": \"host\"}]"}));
  if (maybe(random, 0.4))
    axes["stage_layers"] =
        json_of(one_of(random, {"\"free\"", "[\"even\", {\"last\": 2}, [20, 12]]"}));
  if (maybe(random, 0.3)) {
    axes["partition"] = json_of(
        one_of(random,
               {"\"free\"",
                "[{}, {\"optimizer\": 4}, {\"weights\": 2, \"gradients\": 2, \"optimizer\": 2}]"}));
  } else if (maybe(random, 0.5)) {
    axes["zero_shard_group"] = json_of(one_of(random, {"\"free\"", "[1, 2, 8]", "{\"max\": 4}"}));
  }
  if (maybe(random, 0.4))
    axes["gpus"] = json_of(one_of(random, {"[8, 16]", "{\"min\": 8, \"max\": 24}"}));
  if (maybe(random, 0.3)) axes["precision"] = json_of(R"(["bf16", "fp8"])");
  if (maybe(random, 0.2)) axes["cluster.node"] = json_of(R"(["dgx-h100", "hgx-h200"])");
  add_conditions(random, s);
  return s;
}

struct Judged {
  Candidate candidate;
  double step = 0;
};

// Everything by plain estimates, one after another.
struct Everything {
  explicit Everything(const SearchRequest& r) : r_(r) {
    for (const Unit& u : units_of(r.space)) {
      Run run = r.space.bases[u.base].run;
      set_degrees(r.space, u, run.strategy);
      UnitWalk(r.space, u).cells([&](const SearchCell& cell) {
        for_each_point(cell, [&](const Point& p) { judge(u, p, run); });
      });
    }
  }

  std::vector<Candidate> front() const {
    std::vector<Candidate> list;
    const std::size_t n = r_.conditions.pareto.size();
    for (const Candidate& c : good) {
      const bool beaten = std::any_of(good.begin(), good.end(), [&](const Candidate& o) {
        bool better = false;
        for (std::size_t i = 0; i < n; ++i) {
          if (o.aims[i] > c.aims[i]) return false;
          better = better || o.aims[i] < c.aims[i];
        }
        return better ||
               (std::equal(o.aims.begin(), o.aims.begin() + static_cast<long>(n), c.aims.begin()) &&
                is_before(o, c));
      });
      if (!beaten) list.push_back(c);
    }
    std::sort(list.begin(), list.end(),
              [](const Candidate& a, const Candidate& b) { return a.aims < b.aims; });
    return list;
  }

  std::int64_t candidates = 0;
  std::int64_t rejected = 0;
  std::int64_t infeasible = 0;
  std::int64_t too_risky = 0;
  std::vector<Candidate> good;
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> in_family;  // by axis and value

 private:
  const SearchRequest& r_;
  Workspace workspace_;

  void judge(const Unit& u, const Point& p, Run& run) {
    ++candidates;
    for (std::size_t i = 0; i < kSearchAxes; ++i) {
      ++in_family[{i, value_at(r_.space, u, p, static_cast<SearchAxis>(i))}];
    }
    set_point(r_.space, r_.space.bases[u.base], p, run.strategy);
    if (first_broken(run.strategy, run.model, shape_of(run)) != RuleId::none) {
      ++rejected;
      return;
    }
    const Answer a = estimate<double>(run, workspace_);
    if (!fits_at_risk(run, a)) {
      (a.reason == Reason::fits ? too_risky : infeasible) +=
          r_.conditions.first_broken(KnownPart::strategy, run, a) < 0 ? 1 : 0;
      return;
    }
    for (const KnownPart known : {KnownPart::strategy, KnownPart::memory, KnownPart::answer}) {
      if (r_.conditions.first_broken(known, run, a) >= 0) return;
    }
    Candidate c;
    c.unit = u.id;
    c.point = p;
    c.step = a.step_time;
    c.objective = r_.conditions.objective_of(run, a);
    c.peak = a.memory.peak;
    for (std::size_t i = 0; i < r_.conditions.pareto.size(); ++i) {
      c.aims[i] = r_.conditions.pareto[i].value(run, a);
    }
    good.push_back(c);
  }
};

SearchOptions options_of(const SearchRequest& r, unsigned workers) {
  SearchOptions o;
  o.top = r.top;
  o.tie = r.tie;
  o.conditions = &r.conditions;
  o.workers = workers;
  o.parallel = [workers](const std::function<void(unsigned)>& work) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
  };
  return o;
}

// Searches of one space in threads that share nothing but messages, as processes would.
class Team {
 public:
  explicit Team(int others) : others_(others) {}

  SearchAnswer answer(const SearchRequest& r) {
    const SearchTeam leader = {[this](const SearchTeam::Answering& a) { serve(a); }, {}};
    const SearchTeam other = {{}, [this](const std::string& question) { return ask(question); }};
    std::vector<std::thread> threads;
    for (int i = 0; i < others_; ++i) {
      threads.emplace_back([&r, &other] {
        SearchOptions o = options_of(r, 2);
        o.team = &other;
        search(r.space, o);
      });
    }
    SearchOptions o = options_of(r, 1);
    o.team = &leader;
    SearchAnswer a = search(r.space, o);
    for (std::thread& t : threads) t.join();
    return a;
  }

 private:
  void serve(const SearchTeam::Answering& answering) {
    std::unique_lock lock(mutex_);
    answering_ = &answering;
    changed_.notify_all();
    changed_.wait(lock, [this] { return done_ == others_; });
  }

  std::optional<std::string> ask(const std::string& question) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answering_ != nullptr; });
    auto reply = (*answering_)(question);
    if (!reply) ++done_;
    changed_.notify_all();
    return reply;
  }

  int others_;
  int done_ = 0;
  const SearchTeam::Answering* answering_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// Searches one after the other that share nothing at all.
SearchAnswer answer_in_shares(const SearchRequest& r, std::size_t shares) {
  std::vector<std::string> handed;
  for (std::size_t part = 0; part < shares; ++part) {
    const SearchTeam share = share_of_search(part, shares, handed);
    SearchOptions o = options_of(r, 1);
    o.team = &share;
    search(r.space, o);
  }
  const SearchTeam leader = leader_of_shares(handed);
  SearchOptions o = options_of(r, 1);
  o.team = &leader;
  return search(r.space, o);
}

void check_alike(const SearchAnswer& a, const SearchAnswer& b) {
  CHECK(a.candidates == b.candidates);
  CHECK(a.rejected == b.rejected);
  CHECK(a.infeasible == b.infeasible);
  CHECK(a.pruned == b.pruned);
  CHECK(a.estimated == b.estimated);
  CHECK(a.refused == b.refused);
  CHECK(a.ties == b.ties);
  const auto are_alike = [](const Found& x, const Found& y) {
    return x.place.unit == y.place.unit && x.place.point.number == y.place.point.number &&
           x.objective == y.objective && x.aims == y.aims;
  };
  CHECK(std::equal(a.best.begin(), a.best.end(), b.best.begin(), b.best.end(), are_alike));
  CHECK(std::equal(a.front.begin(), a.front.end(), b.front.begin(), b.front.end(), are_alike));
  CHECK(are_alike(a.nearest, b.nearest));
  CHECK(std::equal(a.families.begin(), a.families.end(), b.families.begin(), b.families.end(),
                   [&](const Family& x, const Family& y) {
                     return x.axis == y.axis && x.value == y.value &&
                            x.candidates == y.candidates && x.feasible == y.feasible &&
                            x.rejected == y.rejected && are_alike(x.best, y.best) &&
                            are_alike(x.nearest, y.nearest);
                   }));
}

std::int64_t sum(const std::vector<std::int64_t>& list) {
  std::int64_t n = 0;
  for (const std::int64_t v : list) n += v;
  return n;
}

void check_against(const Everything& all, const SearchAnswer& a) {
  std::int64_t rejected = 0;
  for (const std::int64_t n : a.rejected) rejected += n;
  CHECK(a.candidates == all.candidates);
  CHECK(rejected == all.rejected);
  CHECK(a.infeasible == all.infeasible);
  CHECK(a.too_risky == all.too_risky);
  for (const Family& f : a.families) {
    if (f.axis < kSearchAxes) CHECK(f.candidates == all.in_family.at({f.axis, f.value}));
  }
  CHECK(a.candidates ==
        rejected + a.infeasible + a.too_risky + sum(a.refused) + a.pruned + a.estimated);
  std::vector<Candidate> good = all.good;
  std::sort(good.begin(), good.end(), is_before);
  REQUIRE(a.best.size() == std::min<std::size_t>(4, good.size()));
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    CHECK(a.best[i].objective == good[i].objective);
    CHECK(a.best[i].place.unit == good[i].unit);
    CHECK(a.best[i].place.point.number == good[i].point.number);
  }
  if (good.empty()) return;
  const double band = good[0].objective + std::abs(good[0].objective) * (a.tie - 1);
  CHECK(a.ties == std::count_if(good.begin(), good.end(),
                                [band](const Candidate& c) { return c.objective <= band; }));
}

void check_front(const std::vector<Candidate>& front, const SearchAnswer& a) {
  REQUIRE(a.front.size() == front.size());
  for (std::size_t i = 0; i < front.size(); ++i) {
    CHECK(a.front[i].aims == front[i].aims);
    CHECK(a.front[i].place.unit == front[i].unit);
    CHECK(a.front[i].place.point.number == front[i].point.number);
  }
}

TEST_CASE("random small spaces with every option are searched as brute force does") {
  std::mt19937 random(20261121);
  std::int64_t pruned = 0;
  std::size_t fronts = 0;
  for (int i = 0; i < (kSanitized ? 3 : 6); ++i) {
    const Json asked = random_search(random);
    CAPTURE(asked.dump());
    const SearchRequest request = request_of(asked);
    const Everything all(request);
    const SearchAnswer one = search(request.space, options_of(request, 1));
    check_against(all, one);
    if (!request.conditions.pareto.empty()) check_front(all.front(), one);
    pruned += one.pruned;
    fronts += one.front.size();
    check_alike(search(request.space, options_of(request, 2)), one);
    check_alike(Team(3).answer(request), one);
    check_alike(answer_in_shares(request, 3), one);
  }
  CHECK(pruned > 500);
  CHECK(fronts > (kSanitized ? 1 : 3));
}

// A search for the best alone finds the same best and the same recommended strategy.
void check_without_ties(const SearchRequest& request, const SearchAnswer& a) {
  SearchOptions o = options_of(request, 1);
  o.ties = false;
  o.families = false;
  const SearchAnswer few = search(request.space, o);
  CHECK(few.estimated <= a.estimated);
  REQUIRE(few.best.size() == a.best.size());
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    CHECK(few.best[i].objective == a.best[i].objective);
    CHECK(few.best[i].place.unit == a.best[i].place.unit);
    CHECK(few.best[i].place.point.number == a.best[i].place.point.number);
  }
  CHECK(few.recommended.place.unit == a.recommended.place.unit);
  CHECK(few.recommended.place.point.number == a.recommended.place.point.number);
}

TEST_CASE("two hundred random spaces of strategies and machines are searched as brute force does") {
  std::mt19937 random(2026);
  std::int64_t pruned = 0;
  std::size_t fronts = 0;
  for (int i = 0; i < (kSanitized ? 20 : 200); ++i) {
    const Json asked = random_machines(random);
    CAPTURE(asked.dump());
    const SearchRequest request = request_of(asked);
    const Everything all(request);
    const SearchAnswer one = search(request.space, options_of(request, 1));
    check_against(all, one);
    if (!request.conditions.pareto.empty()) check_front(all.front(), one);
    check_without_ties(request, one);
    pruned += one.pruned;
    fronts += one.front.size();
  }
  CHECK(pruned > (kSanitized ? 20 : 200));
  CHECK(fronts > (kSanitized ? 20 : 200));
}

TEST_CASE("a candidate is found again by its number") {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const SearchRequest r = request_of(random_search(random));
    std::int64_t other = 0;
    for (const Unit& u : units_of(r.space)) {
      const UnitWalk walk(r.space, u);
      walk.cells([&](const SearchCell& cell) {
        for_each_point(cell, [&](const Point& p) { other += walk.point(p.number) == p ? 0 : 1; });
      });
    }
    CHECK(other == 0);
  }
}

TEST_CASE("strategies on every axis written into the run file are the strategies") {
  const Json search = json_of(R"({"axes": {
      "gpus": [16], "precision": ["bf16", "fp8"], "offload": "free", "stage_layers": "free",
      "recompute_modules": "free", "zero_shard_group": "free", "overlap": "free",
      "micro_batch": [1], "tp": [1, 2, 4], "cp": 1, "pp": [1, 4],
      "schedule": ["1f1b", "interleaved"], "recompute_layers": [2]}})");
  const SearchRequest r = request_of(search);
  CHECK(r.space.bases.size() > 8);
  int checked = 0;
  std::int64_t seen = 0;
  for (const Unit& u : units_of(r.space)) {
    if (u.id % 13 != 0) continue;
    Run run = r.space.bases[u.base].run;
    set_degrees(r.space, u, run.strategy);
    UnitWalk(r.space, u).cells([&](const SearchCell& cell) {
      for_each_point(cell, [&](const Point& p) {
        if (++seen % (kSanitized ? 631 : 211) != 0) return;
        set_point(r.space, r.space.bases[u.base], p, run.strategy);
        if (first_broken(run.strategy, run.model, shape_of(run)) != RuleId::none) return;
        const Json file = with_strategy(json_of(kRun), r.space, u.base, run.strategy);
        CAPTURE(file.dump());
        const Answer a = estimate(run);
        const Answer b = estimate(testing::run_of(file));
        CHECK(a.step_time == b.step_time);
        CHECK(a.memory.peak == b.memory.peak);
        CHECK(a.breakdown == b.breakdown);
        ++checked;
      });
    });
  }
  CHECK(checked > 20);
}

}  // namespace
}  // namespace orrery
