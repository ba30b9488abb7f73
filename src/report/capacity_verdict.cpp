// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/divide.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "insight/capacity_chance.h"
#include "report/capacity_words.h"

namespace orrery {
namespace {

std::string days_words(const OptionAnswer& o) {
  const Ranged<Seconds>& w = o.range.wall;
  const bool short_run = w.value < kDay;
  const Seconds unit = short_run ? kHour : kDay;
  const auto text = [&](Seconds t) { return fixed(t / unit, t / unit < 10 ? 1 : 0); };
  const std::string name = short_run ? " hours" : " days";
  if (w.is_exact()) return text(w.value) + name;
  return text(w.value) + name + " (" + text(w.low) + " to " + text(w.high) + ")";
}

std::string cost_words(const CapacityReport& r, const OptionAnswer& o) {
  if (!o.outcome.cost) return "; no cost, as there is " + why_blank(o);
  const Ranged<double>& c = o.range.cost;
  const std::string middle = money_text(*o.outcome.cost);
  if (c.is_exact()) return " and " + middle;
  return " and " + middle + " (" + money_text(c.low, r.plan.currency) + " to " +
         money_text(c.high, r.plan.currency) + ")";
}

// "256 x hgx-b200".
std::string nodes_words(const OptionAnswer& o) {
  const std::int64_t each = devices_of_node(o.inputs.cluster);
  return grouped(divided_up(paid_gpus(o.inputs), each)) + " x " +
         std::string(o.inputs.cluster.node.view());
}

std::string what_words(const OptionAnswer& o) {
  const std::int64_t paid = paid_gpus(o.inputs);
  return grouped(paid) + " GPUs " + std::string(o.inputs.cluster.device.name.view()) + " (" +
         nodes_words(o) +
         (paid > o.gpus ? ", " + grouped(o.gpus) + " of them train at a time" : "") + ")";
}

// "Rent", or that no option meets what is required.
std::string verb_of(const CapacityReport& r, const OptionAnswer& o) {
  if (standing(r.plan, o) == Standing::misses) return "No option meets it; the nearest is ";
  if (!o.outcome.cost) return "Use ";
  return o.outcome.bill.payment == Payment::rent ? "Rent " : "Buy ";
}

std::string limits_words(const Requirement& q) {
  std::vector<std::string> parts;
  if (q.deadline) parts.push_back("ends within " + span_text(*q.deadline));
  if (q.budget) parts.push_back("costs at most " + money_text(*q.budget));
  if (q.power) parts.push_back("draws at most " + pretty(*q.power));
  return joined(parts, ", ");
}

std::string chance_words(const CapacityReport& r, const OptionAnswer& o) {
  const Chance c = chance_of(r.plan.requirements, o);
  if (!c.deadline && !c.budget) return "";
  std::vector<std::string> limits;
  for (const Requirement& q : r.plan.requirements) limits.push_back(limits_words(q));
  std::string text =
      " It " + joined(limits, "; it ") + " with a probability of " + probability_words(c.all) + ".";
  for (const Requirement& q : r.plan.requirements) {
    if (q.budget && !c.budget) text += " The budget is not judged.";
  }
  return text;
}

Paragraph recommended(const CapacityReport& r, const OptionAnswer& o) {
  return Paragraph{verb_of(r, o) + what_words(o) + ": " + short_count(o.training.tokens) +
                   " tokens take " + days_words(o) + cost_words(r, o) + "." + chance_words(r, o)};
}

Paragraph how_sure(const OptionAnswer& o) {
  return labelled("how sure", accuracy_text(o) + "; memory " + fit_text(o));
}

// A step, a failure of memory: whichever would undo the verdict.
std::optional<Paragraph> fails(const CapacityReport& r, const OptionAnswer& o) {
  const std::optional<double> slack = slack_of_step(r.plan.requirements, o);
  if (!slack || *slack < 0) return {};
  return labelled("fails if", "steps are more than " + percent(*slack, 0) +
                                  " longer than predicted, or the run does not fit (" +
                                  probability_words(1 - fit_probability(o.run->run, o.answer)) +
                                  ")");
}

std::optional<Paragraph> not_counted_here(const CapacityReport& r, const OptionAnswer& o) {
  const std::vector<std::string> all = left_out(o);
  if (all.empty() || r.answer.options.size() < 2) return {};
  return labelled("not in it", joined(all, ", "));
}

// The next of another scenario or model, else the next.
std::optional<std::size_t> second_of(const CapacityReport& r, std::size_t best) {
  const std::vector<std::size_t>& all = r.answer.ranked;
  const OptionAnswer& first = r.answer.options[best];
  const auto differs = [&](std::size_t i) {
    const OptionAnswer& o = r.answer.options[i];
    return o.scenario != first.scenario || o.model != first.model;
  };
  const auto other = std::find_if(all.begin(), all.end(), differs);
  if (other != all.end()) return *other;
  const auto next = std::find_if(all.begin(), all.end(), [&](std::size_t i) { return i != best; });
  return next == all.end() ? std::nullopt : std::optional(*next);
}

std::string tipping_words(const CapacityReport& r, std::size_t second) {
  for (const BreakEven& b : r.answer.break_evens) {
    if (b.option != second) continue;
    return "; it costs the same at " + fixed((b.rent * kHour).amount(), 2) + " " +
           r.plan.currency.text() + " a GPU-hour";
  }
  return "";
}

std::optional<Paragraph> second_choice(const CapacityReport& r, std::size_t best) {
  const std::optional<std::size_t> i = second_of(r, best);
  if (!i) return {};
  const OptionAnswer& o = r.answer.options[*i];
  std::string text = name_with_gpus(o) + ": " + days_words(o) + cost_words(r, o);
  const Chance c = chance_of(r.plan.requirements, o);
  if (c.deadline || c.budget) text += ", " + probability_words(c.all) + " within what is required";
  return labelled("second", text + tipping_words(r, *i));
}

// Half of the step's range above its middle is the least that a measured step could narrow.
std::optional<Paragraph> to_decide(const OptionAnswer& o) {
  constexpr double kWide = 1.25;
  if (o.run->interval.high < kWide) return {};
  return labelled("to decide",
                  "a few steps measured on one such node, or on the smallest job that "
                  "its network carries, narrow the range: orrery calibrate site");
}

}  // namespace

Section verdict_section(const CapacityReport& r) {
  Section s;
  const std::optional<std::size_t> best = best_option(r);
  if (!best) return s;
  const OptionAnswer& o = r.answer.options[*best];
  s.add(recommended(r, o));
  if (r.answer.options.size() > 1) s.add(how_sure(o));
  if (auto p = fails(r, o)) s.add(*std::move(p));
  if (auto p = not_counted_here(r, o)) s.add(*std::move(p));
  if (auto p = second_choice(r, *best)) s.add(*std::move(p));
  if (auto p = to_decide(o)) s.add(*std::move(p));
  return s;
}

}  // namespace orrery
