// SPDX-License-Identifier: Apache-2.0
//
// The cost of a search: the whole space of GPT-3 175B on 4,096 GPUs by one and by two threads, one
// candidate and one estimate inside it, 10,000 strategies of GPT-3 175B on 1,024 A100s one by one,
// and the memory of a small and of a large space.
//
//   orrery_bench_search            all but the large space
//   orrery_bench_search memory     peak memory of 10^6 and of 10^8 candidates (minutes)
//   orrery_bench_search billion    1.4 x 10^9 candidates: every tp, micro batch, set of recomputed
//                                  modules, offload and way to split weights, gradients and
//                                  optimizer
//
// Processor time is what the process used, of all its threads; wall time says what other work on
// the machine adds.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "estimate/links.h"
#include "explore/search.h"
#include "explore/space_json.h"
#include "explore/unit_walk.h"
#include "insight/metrics.h"
#include "insight/search_report.h"
#include "io/config_dirs.h"
#include "io/threads.h"

namespace orrery {
namespace {

constexpr const char* kGpt3 = R"({"model": "gpt3-175b", "framework": "megatron-lm",
  "cluster": {"node": "dgx-a100-80gb", "gpus": 4096},
  "training": {"sequence_length": 2048, "global_batch": 4096}})";
constexpr const char* kGpt3Of1024 = R"({"model": "gpt3-175b", "framework": "megatron-lm",
  "cluster": {"node": "dgx-a100-80gb", "gpus": 1024},
  "training": {"sequence_length": 2048, "global_batch": 1536}})";

double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

SearchRequest request_of(const char* run, const char* search) {
  const std::string file = "bench";
  return read_search(parse_json(run, file), file, config_lookup(folder_source(config_dirs(""))),
                     parse_json(search, file), metric_source());
}

SearchAnswer timed_search(const SearchRequest& r, unsigned threads, const char* name) {
  SearchOptions o;
  o.workers = threads;
  o.conditions = &r.conditions;
  o.parallel = [threads](const std::function<void(unsigned)>& work) {
    run_on_threads(threads, work);
  };
  const double start = wall();
  const double cpu = processor();
  SearchAnswer a = search(r.space, o);
  const auto n = static_cast<double>(a.candidates);
  const double used = processor() - cpu;
  std::printf(
      "%-34s %11lld candidates, %u threads: %7.2f s wall, %7.2f s processor, %6.0f ns each\n", name,
      static_cast<long long>(a.candidates), threads, wall() - start, used, used / n * 1e9);
  return a;
}

// Every n-th candidate of a space, each from its run alone: rules, prices, stages, memory, sweep.
void one_by_one(std::int64_t wanted) {
  const SearchRequest r = request_of(kGpt3Of1024, "{}");
  const std::vector<Unit> units = units_of(r.space);
  std::int64_t all = 0;
  for (const Unit& u : units) all += UnitWalk(r.space, u).cells([](const SearchCell&) {});
  std::vector<Strategy> chosen;
  Run run = r.space.bases[0].run;
  std::int64_t seen = 0;
  for (const Unit& u : units) {
    set_degrees(r.space, u, run.strategy);
    UnitWalk(r.space, u).cells([&](const SearchCell& cell) {
      for_each_point(cell, [&](const Point& p) {
        const std::int64_t at = seen++;
        if (at > 0 && at * wanted / all == (at - 1) * wanted / all) return;
        set_point(r.space, r.space.bases[0], p, run.strategy);
        chosen.push_back(run.strategy);
      });
    });
  }
  const RunShape shape = shape_of(run);
  Workspace w;
  std::int64_t legal = 0;
  const double cpu = processor();
  for (const Strategy& s : chosen) {
    run.strategy = s;
    if (first_broken(s, run.model, shape) != RuleId::none) continue;
    if (estimate<double>(run, w).step_time > Seconds()) ++legal;
  }
  const double used = processor() - cpu;
  std::printf(
      "%zu of %lld strategies of GPT-3 175B on 1,024 A100s: %lld legal, each estimated in "
      "full: %.3f s processor, %.0f strategies/s, %.2f us an estimate\n",
      chosen.size(), static_cast<long long>(all), static_cast<long long>(legal), used,
      static_cast<double>(chosen.size()) / used, used / static_cast<double>(legal) * 1e6);
}

// In a process of its own: its peak is its own.
void peak_of(const char* name, const char* search) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    timed_search(request_of(kGpt3, search), 2, name);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  std::printf("%-34s peak memory %.1f MB\n", name, static_cast<double>(used.ru_maxrss) / 1024);
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) {
  using namespace orrery;
  if (count > 1 && std::string(arguments[1]) == "memory") {
    peak_of("10^6",
            R"({"axes": {"cp": [1, 2, 4], "zero": 1, "schedule": ["1f1b", "interleaved"]}})");
    peak_of("10^8", R"({"axes": {"tp": [4, 8], "zero_shard_group": "free", "offload": "free"}})");
    return 0;
  }
  if (count > 1 && std::string(arguments[1]) == "billion") {
    const char* all = R"({"axes": {"micro_batch": "free", "recompute_modules": "free",
                                   "offload": "free", "partition": "free"}})";
    timed_search(request_of(kGpt3, all), 2, "GPT-3 175B, every axis");
    return 0;
  }
  const SearchRequest r = request_of(kGpt3, "{}");
  const SearchAnswer one = timed_search(r, 1, "GPT-3 175B on 4,096 GPUs");
  const SearchAnswer two = timed_search(r, 2, "GPT-3 175B on 4,096 GPUs");
  std::printf("  of them %lld in memory's reach, %lld estimated; the answers are %s\n",
              static_cast<long long>(one.pruned + one.estimated),
              static_cast<long long>(one.estimated),
              one.estimated == two.estimated && one.best[0].step_time == two.best[0].step_time
                  ? "the same"
                  : "NOT THE SAME");
  one_by_one(10'000);
  return 0;
}
