// SPDX-License-Identifier: Apache-2.0
//
// Published sweeps of layouts, searched: restricted to the points that were measured, the search
// picks one whose measured time is near the best measured.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "explore/search.h"
#include "explore/space_json.h"
#include "shipped_runs.h"

namespace orrery {
namespace {

MetricSource no_metrics() {
  return {{}, {}, [](std::size_t, const Run&, const Answer&) { return 0.0; }};
}

struct PublishedSweep {
  Json run;                                                // without what the sweep varies
  std::map<std::array<std::int64_t, 3>, double> measured;  // by tp, pp and micro batch; seconds
};

// Rows of one model, cluster and batch that differ in tp, pp, dp and micro batch only.
std::map<std::string, PublishedSweep> sweeps_in(const std::string& file, const std::string& model) {
  std::map<std::string, PublishedSweep> sweeps;
  const std::string path = ORRERY_VALIDATION_DIR "/runs/" + file;
  for (const Json& row : parse_json(testing::text_of(path), file)) {
    Json run = row["run"];
    if (run["model"]["name"].get<std::string>().find(model) == std::string::npos) continue;
    Json& parallel = run["parallel"];
    const std::array<std::int64_t, 3> at = {parallel["tp"], parallel["pp"],
                                            run["training"]["micro_batch"]};
    for (const char* key : {"tp", "pp", "dp"}) parallel.erase(key);
    run["training"].erase("micro_batch");
    if (!row["measured"].contains("step_time_s")) continue;
    const double seconds = row["measured"]["step_time_s"].get<double>();
    if (!parallel.contains("schedule")) parallel["schedule"] = "1f1b";
    PublishedSweep& sweep = sweeps[run.dump()];
    sweep.run = run;
    const auto [it, first] = sweep.measured.try_emplace(at, seconds);
    if (!first) it->second = std::min(it->second, seconds);
  }
  return sweeps;
}

// Only the measured points.
Json search_of(const PublishedSweep& sweep) {
  std::string points;
  std::array<std::set<std::int64_t>, 3> values;
  for (const auto& [at, seconds] : sweep.measured) {
    points += (points.empty() ? "" : " or ") + std::string("(tp == ") + std::to_string(at[0]) +
              " and pp == " + std::to_string(at[1]) +
              " and micro_batch == " + std::to_string(at[2]) + ")";
    for (std::size_t i = 0; i < 3; ++i) values[i].insert(at[i]);
  }
  Json search = {{"constraints", {points}}, {"top", 1}};
  search["axes"] = {{"tp", values[0]}, {"pp", values[1]}, {"micro_batch", values[2]}};
  if (!sweep.run["parallel"].contains("zero")) search["axes"]["zero"] = 1;
  return search;
}

// Over the least measured time, less 1.
double regret_of(const PublishedSweep& sweep) {
  const SearchRequest r =
      read_search(sweep.run, "sweep", testing::shipped_lookup(), search_of(sweep), no_metrics());
  SearchOptions o;
  o.top = 1;
  o.conditions = &r.conditions;
  const SearchAnswer a = search(r.space, o);
  REQUIRE(a.best.size() == 1);
  const Strategy& s = a.best[0].strategy;
  double least = 1e300;
  for (const auto& [at, seconds] : sweep.measured) least = std::min(least, seconds);
  return sweep.measured.at({s.tp, s.pp, s.micro_batch}) / least - 1;
}

TEST_CASE("of vTrain's sweeps the search picks a layout as fast as the best measured") {
  // The aim is 3 %. With 18.4B on 256 GPUs the four best measured are within 5 %, and the pick is
  // 4.5 % above the best (docs/validation.md, Choice of layout).
  const std::map<std::string, double> beyond = {{"GPT-L40-h6144", 0.05}};
  int seen = 0;
  for (const auto& [key, sweep] : sweeps_in("vtrain-multi.json", "GPT-")) {
    const std::string name = sweep.run["model"]["name"];
    CAPTURE(name);
    const auto known = beyond.find(name);
    CHECK(regret_of(sweep) <= (known == beyond.end() ? 0.03 : known->second));
    ++seen;
  }
  CHECK(seen == 4);
}

TEST_CASE("of BLOOM's sweeps the search picks a layout within a tenth of the best measured") {
  int seen = 0;
  for (const auto& [key, sweep] : sweeps_in("bigscience.json", "BLOOM")) {
    if (sweep.measured.size() < 4) continue;
    const std::string name = key;
    CAPTURE(name);
    CHECK(regret_of(sweep) <= 0.10);
    ++seen;
  }
  CHECK(seen >= 2);
}

}  // namespace
}  // namespace orrery
