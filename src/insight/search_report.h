// SPDX-License-Identifier: Apache-2.0
//
// A search with all that is reported of it: the best strategies as whole reports, and what every
// family of the others lost.
//
// Every reported strategy is resolved and estimated again as a run file would be; a number that
// then differs from the search's is a fault of Orrery's own.
//
// For every value of an axis the report has the best strategy, and in words what it lost to the
// winner, that it does not fit, or which rule or constraint refuses it. Axes of which one value was
// tried, and those that follow from others, say nothing. Differences below half a percent of the
// winner's step are not worth a word.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"
#include "explore/narrow.h"
#include "explore/search.h"
#include "explore/search_request.h"
#include "explore/sensitivity.h"
#include "insight/held_keys.h"
#include "insight/run_report.h"
#include "insight/settings.h"

namespace orrery {

struct PowerQuestion;  // insight/step_power.h
struct StepPower;

// The best of all candidates that share a value of an axis, beside the winner.
struct FamilyReport {
  Family family;
  double slowdown = 0;  // the step of its best over the winner's, less 1
  double loss = 0;      // the same of the objective; without one it is the slowdown
  std::string reason;   // in words: what it lost, does not fit, which rule
};

// The simulated time of a strategy.
struct Refined {
  Seconds estimated{};
  Seconds simulated{};
};

// Besides the search itself.
struct SearchExtras {
  std::size_t refine = 0;  // how many of the best to simulate
  // Free the run's strategy and its framework's switches, but what is held, and set the run's own
  // strategy beside the best (insight/held_keys.h).
  bool frees = false;
  std::vector<std::string> keep;  // keys that are held
  std::vector<Fact> changes;      // values that went over the run file, which are held too
  bool fewest = false;            // on the fewest GPUs that do
  bool page = false;              // with what its charts need
  std::string heat = "tp,pp";
};

// One of the strategies that a report lists, and why it is among them.
struct ListedStrategy {
  Found found;
  RunReport run;
  std::string why;
};

struct SearchReport {
  SearchRequest request;
  SearchAnswer answer;
  bool is_stopped = false;  // `best` is the best so far, and nothing but it is reported
  // The recommended one, the fastest (with an objective, the best by it) where it is another, then
  // the best of other kinds within the error bar, then the next best.
  std::vector<ListedStrategy> best;
  std::size_t fastest = 0;         // of `best`; with an objective, the best by it
  std::size_t top = 0;             // how many are asked for; the recommended and the best always
  std::vector<RunReport> nearest;  // one where nothing fits
  std::vector<FamilyReport> families;
  std::vector<Elasticity> elasticities;  // of the winner
  std::vector<Refined> refined;          // of the first of `best`
  bool frees = false;                    // the strategy but for `held`
  std::vector<HeldKey> held;
  std::vector<Setting> switches;  // found on the best few layouts, for all of them
  std::size_t switch_layouts = 0;
  KeptJson besides;              // keys of `switches`; null where nothing is freed
  std::optional<RunReport> own;  // the run file's strategy
  std::string own_refusal;       // why it has none
  std::int64_t fewest_gpus = 0;  // where they were asked for
  std::string own_difference;    // in words, where both fit
  std::optional<AxisPair> heat;
  std::shared_ptr<const StepPower> power;  // of the recommended, where a limit is given
  std::vector<NotTried> left_out;          // of a space too large
};

// `run` may hold a `search` object. Errors: InputError where the run is wrong or its space is
// empty.
SearchReport report_on_search(const Json& run, const std::string& file, const ConfigLookup& lookup,
                              const std::function<void(SearchOptions&)>& adjust,
                              const SearchExtras& extras = {});

// Adds the power of the recommended strategy (insight/step_power.h), where there is one.
void add_power(const PowerQuestion& asked, SearchReport& report);

// The two terms in which `a` is worst beside `winner`, and the one in which it gains most.
std::string difference_in_words(const Answer& a, const Answer& winner);

// The reasons for a report with its best strategies.
std::vector<FamilyReport> family_reports(const SearchReport& report);

}  // namespace orrery
