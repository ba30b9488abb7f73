// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_point.h"

#include "core/error.h"
#include "document/words.h"
#include "estimate/mixed_document.h"
#include "estimate/repeated.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "explore/mixed_search.h"
#include "explore/rule_error.h"
#include "explore/search.h"
#include "explore/space.h"
#include "explore/space_json.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/mixed_report.h"
#include "insight/run_report.h"
#include "insight/simulation_report.h"
#include "report/rl_point.h"

namespace orrery {
namespace {

// "needs 159.0 of 79.7 GiB …": why it does not fit as predicted; "" where it does.
std::string why_not(const Run& run, const Answer& answer) {
  return answer.reason == Reason::fits ? "" : limiter(run, answer);
}

void take(const Run& run, const Answer& answer, PointAnswer& out) {
  out.status = fit_words(run, answer);
  out.reason = why_not(run, answer);
  out.has_numbers = true;
  out.run = run;
  out.answer = answer;
}

// Why a search has no winner.
std::string none_of(std::int64_t candidates) {
  return "none of " + counted(candidates, "candidate") + " fits";
}

bool plays_step(SweepAnswer wanted, const Json& run) {
  return has_rl(run) && (wanted == SweepAnswer::estimate || wanted == SweepAnswer::memory);
}

// On several kinds of node: all GPUs as one run.
void take_mixed(const ResolvedMixed& resolved, PointAnswer& out) {
  const RunReport whole = mixed_report_on(resolved).whole;
  take(whole.resolved.run, whole.answer, out);
}

void searched_mixed(const Json& run, const std::string& file, const ConfigLookup& lookup,
                    PointAnswer& out) {
  MixedSearchOptions options;
  options.top = 1;
  const MixedSearchResult r = search_mixed(run, file, lookup, options);
  out.status = "nothing fits";
  out.reason = none_of(r.candidates);
  out.candidates = r.candidates;
  out.is_searched = true;
  if (!r.best.empty()) take_mixed(resolve_mixed(*r.best.front().run, file, lookup), out);
}

void of_groups(SweepAnswer wanted, const Json& run, const std::string& file,
               const ConfigLookup& lookup, PointAnswer& out) {
  switch (wanted) {
    case SweepAnswer::estimate:
    case SweepAnswer::memory:
      return take_mixed(resolve_mixed(run, file, lookup), out);
    case SweepAnswer::search:
      return searched_mixed(run, file, lookup, out);
    case SweepAnswer::simulate:  // the parts of a played step are not those of the closed form
      throw InputError(file, "answer", "simulate of a run with cluster.groups",
                       "estimate, memory or search");
  }
}

void simulated(const ResolvedRun& r, PointAnswer& out) {
  check_playable(r);
  take(r.run, report_on_simulation(r, {}).run.answer, out);
}

void searched(const Json& run, const std::string& file, const ConfigLookup& lookup,
              PointAnswer& out) {
  const SearchQuestion asked = taken_apart(run);
  const SearchRequest request = read_search(asked.run, file, lookup, asked.search, metric_source());
  SearchOptions options;
  options.top = 1;
  options.tie = request.tie;
  options.families = false;
  options.conditions = &request.conditions;
  const SearchAnswer a = search(request.space, options);
  out.status = "nothing fits";
  out.reason = none_of(a.candidates);
  out.candidates = a.candidates;
  out.ties = a.ties;
  out.is_searched = true;
  if (a.best.empty()) return;
  Run winner = request.space.bases[a.recommended.place.base].run;
  winner.strategy = a.recommended.strategy;
  take(winner, estimate(winner), out);
}

}  // namespace

PointAnswer point_answer(SweepAnswer wanted, const Json& run, const std::string& file,
                         const ConfigLookup& lookup, Workspace& workspace) {
  PointAnswer out;
  try {
    if (plays_step(wanted, run)) {
      play_point(run, file, lookup, out);
      return out;
    }
    if (has_groups(run)) {
      of_groups(wanted, run, file, lookup, out);
      return out;
    }
    switch (wanted) {
      case SweepAnswer::estimate: {
        const ResolvedRun r = resolve_for_numbers(run, file, lookup);
        take(r.run, estimate_in(workspace, r.run), out);
        break;
      }
      case SweepAnswer::memory: {
        const ResolvedRun r = resolve_for_numbers(run, file, lookup);
        take(r.run, memory_in(workspace, r.run), out);
        break;
      }
      case SweepAnswer::search:
        searched(run, file, lookup, out);
        break;
      case SweepAnswer::simulate:
        simulated(resolve_run(run, file, lookup), out);
        break;
    }
  } catch (const InputError& e) {
    if (!breaks_a_rule(e)) throw;
    out.status = "illegal";
    out.reason = e.what();
  }
  return out;
}

}  // namespace orrery
