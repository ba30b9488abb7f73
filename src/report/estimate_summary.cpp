// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/units.h"
#include "estimate/risk.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/run_report.h"
#include "report/estimate.h"
#include "report/frame.h"

namespace orrery {
namespace {

constexpr double kLeastPart = 0.01;  // of the whole, that is named
constexpr std::size_t kMostParts = 3;

struct SummaryPart {
  std::string name;
  double amount = 0;
};

// The largest first; small ones are left out.
std::vector<SummaryPart> summary_parts(const RunReport& r, MetricGroup group) {
  std::vector<SummaryPart> parts;
  double whole = 0;
  for (const Metric& m : metrics()) {
    if (m.group != group) continue;
    parts.push_back({std::string(m.label), m.value({r.resolved.run, r.answer})});
    whole += parts.back().amount;
  }
  std::erase_if(parts, [whole](const SummaryPart& p) { return !(p.amount > kLeastPart * whole); });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const SummaryPart& a, const SummaryPart& b) { return a.amount > b.amount; });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  return parts;
}

// "activations 15.7 GiB, optimizer 9.4 GiB"
template <class Text>
std::string part_words(const RunReport& r, MetricGroup group, Text&& text) {
  std::vector<std::string> words;
  for (const SummaryPart& p : summary_parts(r, group))
    words.push_back(p.name + " " + text(p.amount));
  return joined(words, ", ");
}

// On the run's own GPUs, and faster than the change that would fit.
bool is_better_remedy(const RunReport& r, const Advice* fits) {
  if (!r.remedy) return false;
  if (fits == nullptr) return true;
  return r.remedy->gpus == r.resolved.run.cluster.gpus && r.remedy->step_time < fits->step_time;
}

// The run with what would help most, or the search.
std::string next_estimate(const RunReport& r, const TypedRun& run) {
  const std::vector<Advice> advice = advice_of(r);
  const Advice* fits = first_that_fits(advice);
  if (!is_feasible(r) && is_better_remedy(r, fits)) {
    return "orrery estimate " + typed_with(run, r.remedy->settings);
  }
  return fits != nullptr ? "orrery estimate " + typed_with(run, fits->settings)
                         : "orrery search " + typed_with(run);
}

Section estimate_ending(const RunReport& r, const TypedRun& run) {
  Section s;
  s.add(labelled("answer", estimate_words(r)));
  s.add(labelled("next", next_estimate(r, run)));
  return s;
}

// Changes that do not make it fit say little beside a layout that does.
Section short_limit(const RunReport& r) {
  const std::vector<Advice> advice = advice_of(r);
  const bool only_nearer = !is_feasible(r) && r.remedy.has_value() && !advice.empty() &&
                           first_that_fits(advice) == nullptr;
  if (!only_nearer) return limit_section(r);
  return {{}, {Paragraph{bold("Limit") + "  " + limiter(r.resolved.run, r.answer), 7}}};
}

}  // namespace

Section parts_section(const RunReport& r) {
  Section s;
  s.add(labelled("holds", part_words(r, MetricGroup::memory_line,
                                     [](double gib) { return gib_text(gib * kGiB, 1); })));
  s.add(labelled("spends", part_words(r, MetricGroup::time, [&r](double seconds) {
                             return percent(Seconds(seconds) / r.answer.step_time, 0);
                           }) + "; --all: all tables"));
  return s;
}

// "likely (92 %): 68.9 of 79.7 GiB"
static Phrase fit_phrase(const RunReport& r) {
  const Answer& a = r.answer;
  const bool of_host = a.reason == Reason::host_memory;
  const Bytes bytes = of_host ? a.host_needed : shown_bytes(r);
  const Bytes capacity = of_host ? a.host_capacity : a.capacity;
  return verdict_of(r) + " (" + probability_words(fit_probability(r.resolved.run, a)) +
         "): " + fixed(bytes / kGiB, 1) + " of " + gib_text(capacity, 1) +
         (of_host ? " of a host" : "");
}

Section memory_ending(const RunReport& r, const TypedRun& run) {
  Section s;
  s.add(labelled("answer", fit_phrase(r) + ", most for " +
                               part_words(r, MetricGroup::memory_line,
                                          [](double gib) { return gib_text(gib * kGiB, 1); })));
  s.add(labelled("next",
                 is_feasible(r) ? "orrery estimate " + typed_with(run) : next_estimate(r, run)));
  return s;
}

Phrase estimate_words(const RunReport& r) {
  const Answer& a = r.answer;
  const double mfu = find_metric("mfu")->value({r.resolved.run, a});
  return fit_phrase(r) + ", " + pretty(a.step_time, 3) + " a step, MFU " + percent(mfu) +
         (is_feasible(r) ? "" : " if it had the memory");
}

AnswerDocument estimate_summary(const RunReport& r, const TypedRun& run) {
  AnswerDocument d{r.resolved.model_name + ": one training step", {}, metrics_row(r)};
  Section head = brief_headline(r);
  for (const Element& e : parts_section(r).elements) head.add(e);
  d.sections = {run_header(r.resolved), head};
  d.add(short_limit(r));
  d.add(remedy_section(r));
  d.add(brief_open_keys(r.resolved));
  d.add(estimate_ending(r, run));
  return d;
}

}  // namespace orrery
