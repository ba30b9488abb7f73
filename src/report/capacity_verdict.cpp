// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/divide.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "insight/capacity_chance.h"
#include "insight/value_of_information.h"
#include "report/capacity_words.h"

namespace orrery {
namespace {

std::string days_words(const OptionAnswer& o) { return span_text(o.range.wall, 10); }

std::string cost_words(const CapacityReport& r, const OptionAnswer& o) {
  if (!o.outcome.cost) return "; no cost, as there is " + why_blank(o);
  const Ranged<double>& c = o.range.cost;
  std::string text = " and " + money_text(*o.outcome.cost);
  if (!c.is_exact()) {
    text += " (" + money_text(c.low, r.plan.currency) + " to " +
            money_text(c.high, r.plan.currency) + ")";
  }
  if (const auto& at_once = o.outcome.bill.up_front) {
    text += ", the run's share of " + money_text(*at_once) + " to pay at once";
  }
  return text;
}

// "256 x hgx-b200".
std::string nodes_words(std::int64_t gpus, const Cluster& c) {
  return grouped(divided_up(gpus, devices_of_node(c))) + " x " + std::string(c.node.view());
}

// "40 GPUs h100 (5 x dgx-h100, 32 of them work at a time)".
std::string group_words(std::int64_t paid, std::int64_t working, const Cluster& c,
                        const char* work) {
  return grouped(paid) + " GPUs " + std::string(c.device.name.view()) + " (" +
         nodes_words(paid, c) +
         (paid > working ? ", " + grouped(working) + " of them " + work + " at a time" : "") +
         (c.power_cap > Watts() ? ", each under a cap of " + pretty(c.power_cap, 3) : "") + ")";
}

std::string what_words(const OptionAnswer& o) {
  const Cluster& c = o.inputs.cluster;
  const std::int64_t paid = paid_gpus(o.inputs);
  if (!o.inputs.beside) return group_words(paid, o.gpus, c, "train");
  const Cluster& generators = o.inputs.beside->cluster;
  return group_words(paid - generators.gpus, c.gpus, c, "learn") + " to learn and " +
         group_words(generators.gpus, generators.gpus, generators, "generate") + " to generate";
}

// "15 T tokens", "1,000 steps".
std::string work_words(const OptionAnswer& o) {
  if (o.rl) return grouped(o.training.pieces.front().steps) + " steps";
  return short_count(o.training.tokens) + " tokens";
}

// "Rent", or that no option meets what is required.
std::string verb_of(const CapacityReport& r, const OptionAnswer& o) {
  if (standing(r.plan, o) == Standing::misses) return "No option meets it; the nearest is ";
  if (!o.outcome.cost) return "Use ";
  return o.outcome.bill.payment == Payment::rent ? "Rent " : "Buy ";
}

// The limits that have a chance; the power that is drawn at most is certain.
std::string limits_words(const Requirement& q, const OptionAnswer& o) {
  std::vector<std::string> parts;
  if (q.deadline) parts.push_back("ends within " + span_text(*q.deadline));
  const bool is_share = o.outcome.bill.up_front.has_value();
  if (q.budget && o.outcome.cost) {
    parts.push_back(std::string(is_share ? "has a share of" : "costs") + " at most " +
                    money_text(*q.budget));
  }
  return joined(parts, " and ");
}

std::string chance_words(const CapacityReport& r, const OptionAnswer& o) {
  const Chance c = chance_of(r.plan.requirements, o);
  if (!c.deadline && !c.budget) return "";
  std::vector<std::string> limits;
  for (const Requirement& q : r.plan.requirements) {
    if (const std::string words = limits_words(q, o); !words.empty()) limits.push_back(words);
  }
  std::string text =
      " It " + joined(limits, "; it ") + " with a probability of " + probability_words(c.all) + ".";
  for (const Requirement& q : r.plan.requirements) {
    if (q.budget && !c.budget) {
      text += " Whether it costs at most " + money_text(*q.budget) + " is not judged.";
    }
  }
  return text;
}

Paragraph recommended(const CapacityReport& r, const OptionAnswer& o) {
  return Paragraph{verb_of(r, o) + what_words(o) + ": " + work_words(o) + " take " + days_words(o) +
                   cost_words(r, o) + "." + chance_words(r, o)};
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
                                  probability_words(1 - fit_probability(o)) + ")");
}

// Prices of the option: "rent of a GPU 6.00 USD/h: price lists: …; the median (2026-09-20)".
std::optional<Paragraph> price_of(const OptionAnswer& o) {
  const bool is_rented = o.outcome.bill.payment == Payment::rent;
  const std::string device(o.inputs.cluster.device.name.view());
  const std::string node(o.inputs.cluster.node.view());
  std::vector<std::string> prices;
  for (const Assumption& a : o.assumptions) {
    const bool is_hardware = a.what.starts_with(device + ":") || a.what.starts_with(node + ":");
    if (is_rented ? !is_rent(a) : !is_hardware || is_rent(a)) continue;
    prices.push_back(a.what + " " + a.value + ": " + a.source +
                     (a.date.empty() ? "" : " (" + a.date + ")"));
  }
  if (prices.empty()) return {};
  return labelled("price", joined(prices, "; "));
}

// More GPUs than the answer has, by which the deadline is met at the upper end of the days.
std::optional<Paragraph> surer(const CapacityReport& r, const OptionAnswer& o) {
  constexpr double kMostTimes = 4;  // GPU-hours are about the same no further
  double times = 1;
  for (const Requirement& q : r.plan.requirements) {
    if (q.deadline) times = std::max(times, double(o.range.wall.high / *q.deadline));
  }
  const bool is_asked = std::any_of(r.plan.requirements.begin(), r.plan.requirements.end(),
                                    [](const Requirement& q) { return q.sure || q.power; });
  if (times == 1 || times > kMostTimes || is_asked) return {};
  const std::int64_t node = devices_of_node(o.inputs.cluster);
  const auto gpus = static_cast<std::int64_t>(std::ceil(times * static_cast<double>(o.gpus)));
  return labelled("surer",
                  "about " + grouped(divided_up(gpus, node) * node) +
                      " GPUs end within the deadline in 9 of 10 such runs, for about as many "
                      "GPU-hours; --sure looks for that size");
}

// Length and batch that nobody gave (engine/missing_flags.h).
std::optional<Paragraph> assumed(const OptionAnswer& o) {
  std::vector<std::string> all;
  for (const Assumption& a : o.plan->assumptions) {
    if (a.what != "sequence length" && a.what != "global batch") continue;
    all.push_back(a.what + " " + a.value + ": " + a.source);
  }
  if (all.empty()) return {};
  return labelled("assumed", joined(all, "; ") + " (--sequence-length, --global-batch)");
}

std::optional<Paragraph> not_counted_here(const CapacityReport& r, const OptionAnswer& o) {
  const std::vector<std::string> all = left_out(o);
  if (all.empty() || r.answer.options.size() < 2) return {};
  return labelled("not in it", joined(all, ", "));
}

std::string tipping_words(const CapacityReport& r, std::size_t second) {
  for (const BreakEven& b : r.answer.break_evens) {
    if (b.option != second) continue;
    const auto& now = r.answer.options[second].inputs.prices.rent;
    return "; it costs the same at " + fixed((b.rent * kHour).amount(), 2) + " " +
           r.plan.currency.text() + " a GPU-hour" +
           (now ? " in place of " + fixed((now->value * kHour).amount(), 2) : "");
  }
  return "";
}

std::optional<Paragraph> second_choice(const CapacityReport& r, std::size_t best) {
  const std::optional<std::size_t> i = second_option(r, best);
  if (!i) return {};
  const OptionAnswer& o = r.answer.options[*i];
  std::string text = name_with_gpus(o) + ": " + days_words(o) + cost_words(r, o);
  const Chance c = chance_of(r.plan.requirements, o);
  if (c.deadline || c.budget) text += ", " + probability_words(c.all) + " within what is required";
  return labelled("second", text + tipping_words(r, *i));
}

std::string week_words(const CapacityReport& r, const StepMeasurement& m) {
  const OptionAnswer& o = r.answer.options[m.option];
  const std::string what = nodes_words(m.gpus, o.inputs.cluster);
  if (!m.of_week) return "a week of " + what + " tells it, at a rent that is not given";
  const bool pays = *m.of_week < m.worth;
  return "a week of " + what + " tells it for " + money_text(*m.of_week) +
         (pays ? "" : ", which is not worth it");
}

// "+3 % energy", of a run under a cap against the option's own.
std::string energy_beside(const Outcome& capped, const OptionAnswer& o) {
  return signed_percent(capped.energy.facility / o.outcome.energy.facility - 1) + " energy";
}

// "at 560 W a GPU (cluster.power_cap) it draws 9.1 MW at most and takes 62 days, which meets it".
std::optional<Paragraph> under_a_cap(const CapacityReport& r, const OptionAnswer& o) {
  const PowerCapped* const p = cap_that_meets(r.plan.requirements, o);
  if (p == nullptr) return {};
  return labelled("under a cap",
                  "at " + pretty(p->cap, 3) + " a GPU (cluster.power_cap) it draws " +
                      pretty(p->outcome.energy.peak, 3) + " at most and takes " +
                      span_text(p->outcome.wall) + " and " + energy_beside(p->outcome, o) +
                      ", which meets what is required");
}

// "none keeps 400 kW: at 350 W a GPU, the least that its clock law holds for, it draws 473 kW".
std::optional<Paragraph> no_cap_keeps(Watts limit, const OptionAnswer& o) {
  if (o.capped.empty() || o.outcome.energy.peak <= limit) return {};
  const PowerCapped& least = o.capped.back();
  const bool is_lower = least.cap < cap_of(o.inputs.cluster);
  if (!is_lower || least.outcome.energy.peak <= limit) return {};
  return labelled("under a cap", "none keeps " + pretty(limit, 3) + ": at " + pretty(least.cap, 3) +
                                     " a GPU, the least that its clock law holds for, it draws " +
                                     pretty(least.outcome.energy.peak, 3) + " at most");
}

// "at 490 W a GPU: 3 % slower, 21 % less energy, 0.9 MW at most", where power is asked of.
std::optional<Paragraph> cap_worth_taking(const CapacityReport& r, const OptionAnswer& o) {
  const std::optional<Watts> limit = least_power(r.plan.requirements);
  if (!limit) return {};
  const PowerCapped* const lowest = cap_that_saves(*limit, o);
  if (lowest == nullptr) return no_cap_keeps(*limit, o);
  const Outcome& x = lowest->outcome;
  return labelled("under a cap", "at " + pretty(lowest->cap, 3) +
                                     " a GPU (cluster.power_cap) it takes " +
                                     signed_percent(x.wall / o.outcome.wall - 1) + " time and " +
                                     energy_beside(x, o) + ", and draws " +
                                     pretty(x.energy.peak, 3) + " at most; --all shows other caps");
}

// "the choice costs 120 k USD more than the second in expectation; …".
std::optional<Paragraph> worth_knowing(const CapacityReport& r, std::size_t best) {
  const std::optional<InformationValue> v = value_of_information(r, best);
  if (!v) return {};
  const StepMeasurement& m = v->measurements.front();
  return labelled("to decide",
                  "the step's error makes this choice cost " + money_text(v->expected_loss) +
                      " more than the better of the two in expectation; knowing the step of " +
                      name_of(r.answer.options[m.option]) + " is worth up to " +
                      money_text(m.worth) + ": " + week_words(r, m));
}

// Half of the step's range above its middle is the least that a measured step could narrow.
std::optional<Paragraph> to_measure(const OptionAnswer& o) {
  constexpr double kWide = 1.25;
  if (o.rl || o.run->interval.high < kWide) return {};
  return labelled("to decide",
                  "a few steps measured on one such node, or on the smallest job that "
                  "its network carries, narrow the range: orrery calibrate site");
}

std::optional<Paragraph> to_decide(const CapacityReport& r, std::size_t best) {
  if (auto p = worth_knowing(r, best)) return p;
  return to_measure(r.answer.options[best]);
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
  if (auto p = surer(r, o)) s.add(*std::move(p));
  if (auto p = under_a_cap(r, o)) {
    s.add(*std::move(p));
  } else if (auto worth = cap_worth_taking(r, o)) {
    s.add(*std::move(worth));
  }
  if (auto p = price_of(o)) s.add(*std::move(p));
  if (auto p = assumed(o)) s.add(*std::move(p));
  if (auto p = not_counted_here(r, o)) s.add(*std::move(p));
  if (auto p = second_choice(r, *best)) s.add(*std::move(p));
  if (auto p = to_decide(r, *best)) s.add(*std::move(p));
  return s;
}

}  // namespace orrery
