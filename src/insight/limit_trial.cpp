// SPDX-License-Identifier: Apache-2.0
#include "insight/limit_trial.h"

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/fits_at_risk.h"
#include "estimate/mixed_document.h"
#include "estimate/mixed_memory.h"
#include "estimate/risk.h"
#include "explore/mixed_search.h"
#include "insight/limiter.h"
#include "insight/mixed_report.h"
#include "insight/remedy.h"
#include "insight/settings.h"

namespace orrery {
namespace {

constexpr double kLeastPrinted = 0.01;

std::string rule_words(const InputError& e) {
  return "not allowed: " + e.path() + (e.path().empty() ? "" : ": ") + e.found() +
         "; allowed: " + e.allowed();
}

// One digit more than elsewhere: a limit lies just below what was asked for.
// Just below what was asked, one digit more would be rounded to it.
std::string exact_probability(const Run& run, const Answer& a) {
  const double p = fit_probability(run, a);
  const MemoryRisk& risk = run.memory_risk;
  const double asked = fit_probability(risk.spread, a.capacity * risk.share, a.capacity);
  const bool rounds_to_it = p < asked && percent(p) == percent(asked);
  return p < kLeastPrinted ? probability_words(p)
                           : (rounds_to_it ? "just under " : "") + percent(p);
}

// "needs 68.9 of 79.7 GiB (activations 34.5 GiB): fits with 89.6 %"
std::string need_words(const Run& run, const Answer& a) {
  if (a.reason == Reason::host_memory) return limiter(run, a);
  return "needs " + fixed(a.needed / kGiB, 1) + " of " + gib_text(a.capacity, 1) + " (" +
         largest_line(a.memory) + "): fits with " + exact_probability(run, a);
}

}  // namespace

TriedRun LimitTrials::held(const Json& run) const {
  try {
    const Json one = without_single_group(run, file_);
    return has_groups(one) ? of_groups(one) : plain(one);
  } catch (const InputError& e) {
    return {false, {}, {}, rule_words(e)};
  }
}

TriedRun LimitTrials::plain(const Json& run) const {
  TriedRun t;
  const ResolvedRun r = resolve_chosen(run, file_, lookup_);
  t.point = LimitPoint{r.run, estimate(r.run)};
  t.fits = fits_at_risk(r.run, t.point->answer);
  t.settings = chosen_recompute(r);
  t.why = need_words(r.run, t.point->answer);
  return t;
}

TriedRun LimitTrials::of_groups(const Json& run) const {
  TriedRun t;
  const MixedReport m = mixed_report_on(resolve_mixed(run, file_, lookup_));
  const RunReport& whole = m.whole;
  t.point = LimitPoint{whole.resolved.run, whole.answer, layout_words(m.resolved)};
  t.fits = fits_at_risk(m.resolved.run, m.answer);
  t.why = need_words(whole.resolved.run, whole.answer) + ", stage " +
          std::to_string(whole.answer.memory_stage) + " on " +
          name_of_kind(m, m.answer.memory_kind);
  return t;
}

TriedRun LimitTrials::searched(const Json& run, CpRange cp) const {
  try {
    const std::optional<std::vector<Setting>> found = layout_that_fits(run, cp);
    if (!found) {
      return {
          false, {}, {}, has_groups(run) ? "no placement fits" : "no common layout fits beyond it"};
    }
    TriedRun t = held(with_changes(run, *found));
    t.settings = *found;
    return t;
  } catch (const InputError& e) {
    return {false, {}, {}, rule_words(e)};
  }
}

std::optional<std::vector<Setting>> LimitTrials::layout_that_fits(const Json& run,
                                                                  CpRange cp) const {
  if (!has_groups(run)) {
    const auto found = strategy_that_fits(run, file_, lookup_, cp);
    if (!found) return {};
    return found->settings;
  }
  MixedSearchOptions one;
  one.top = 1;
  const MixedSearchResult found = search_mixed(run, file_, lookup_, one);
  if (found.best.empty()) return {};
  return settings_between(run, *found.best.front().run);
}

Json with_changes(Json run, const std::vector<Setting>& settings) {
  for (const Setting& s : settings) {
    if (s.value == "null") {
      erase_at(run, s.path);
    } else {
      set_at(run, s.path, json_or_text(s.value));
    }
  }
  return run;
}

}  // namespace orrery
