// SPDX-License-Identifier: Apache-2.0
#include "report/search_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/search_report.h"
#include "report/run_header.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

// Families of an axis that are shown: the winner's, and the nearest others.
constexpr std::size_t kMostOfAnAxis = 6;
constexpr std::size_t kMostRules = 6;
constexpr std::size_t kMostOfFront = 12;
constexpr double kWorthAWord = 0.02;

std::int64_t sum(const std::array<std::int64_t, kRules + 1>& rejected) {
  return std::accumulate(rejected.begin(), rejected.end(), std::int64_t{0});
}

std::string counts(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  std::int64_t refused = 0;
  for (const std::int64_t n : a.refused) refused += n;
  const std::string by_constraints =
      a.refused.empty() ? "" : grouped(refused) + " refused by constraints, ";
  const std::string text = grouped(a.candidates) + " candidates: " + grouped(sum(a.rejected)) +
                           " illegal, " + by_constraints + grouped(a.infeasible) + " do not fit, " +
                           grouped(a.pruned) + " slower by a bound, " + grouped(a.estimated) +
                           " estimated";
  return left("search", kLabel) + wrapped(text, kLabel, kLabel) + "\n";
}

std::string ties(const SearchReport& r) {
  if (r.best.empty()) return "";
  const SearchAnswer& a = r.answer;
  const std::string upto = pretty(a.best[0].step_time * a.tie, 3);
  const std::string text =
      a.ties == 1
          ? "none: no other strategy is within " + upto
          : grouped(a.ties) + " strategies are within the winner's error bar (up to " + upto + ")";
  return left("ties", kLabel) + wrapped(text, kLabel, kLabel) + "\n";
}

std::string recompute_cell(const Strategy& s) {
  const std::string kind(name_of(s.recompute));
  return s.recompute_layers > 0 ? kind + " " + std::to_string(s.recompute_layers) : kind;
}

std::string best_table(const SearchReport& r, const Style& style) {
  if (r.best.empty()) return "";
  const bool moe = is_moe(r.request.space.bases[0].run.model);
  std::vector<Column> columns = {{"", true}, {"step", true}, {"MFU", true}, {"peak", true}};
  for (const char* name : {"tp", "sp", "cp", "pp", "vpp", "dp"}) columns.push_back({name, true});
  if (moe) columns.insert(columns.end(), {{"ep", true}, {"etp", true}});
  columns.insert(columns.end(), {{"batch", true}, {"ZeRO", true}, {"recompute"}, {"schedule"}});
  const Space& space = r.request.space;
  const bool besides = std::any_of(r.answer.best.begin(), r.answer.best.end(), [&](const Found& f) {
    return !besides_words(space, f.place.base, f.strategy).empty();
  });
  if (besides) columns.push_back({"besides"});
  Table table(columns);
  for (std::size_t i = 0; i < r.best.size(); ++i) {
    const RunReport& run = r.best[i];
    const Strategy& s = run.resolved.run.strategy;
    const auto n = [](std::int64_t x) { return grouped(x); };
    std::vector<std::string> row = {
        std::to_string(i + 1), pretty(run.answer.step_time),
        percent(find_metric("mfu")->value({run.resolved.run, run.answer})),
        gib_text(run.answer.memory.peak, 1)};
    row.insert(row.end(),
               {n(s.tp), s.sequence_parallel ? "yes" : "no", n(s.cp), n(s.pp), n(s.vpp), n(s.dp)});
    if (moe) row.insert(row.end(), {n(s.ep), n(s.etp)});
    row.insert(row.end(),
               {n(s.micro_batch), n(s.zero), recompute_cell(s), std::string(name_of(s.schedule))});
    const Found& f = r.answer.best[i];
    if (besides) row.push_back(besides_words(space, f.place.base, f.strategy));
    table.add(row);
  }
  return "\n" + ink(style, Ink::bold, "Best") + "\n" + text_of(table.indented(2), {});
}

std::string aim_name(const Aim& aim) {
  return (aim.maximize ? "most " : "least ") + aim.expression.text();
}

// Of a long front as many points as fit, evenly from the first aim's best to its worst.
std::string front_table(const SearchReport& r, const Style& style) {
  const std::vector<Found>& front = r.answer.front;
  const std::vector<Aim>& aims = r.request.conditions.pareto;
  if (front.empty()) return "";
  std::vector<Column> columns;
  for (const Aim& aim : aims) columns.push_back({aim_name(aim), true});
  columns.push_back({"strategy"});
  Table table(columns);
  const std::size_t shown = std::min(kMostOfFront, front.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Found& f = front[shown < 2 ? i : i * (front.size() - 1) / (shown - 1)];
    std::vector<std::string> row;
    for (std::size_t a = 0; a < aims.size(); ++a) {
      row.push_back(four_digits(aims[a].maximize ? -f.aims[a] : f.aims[a]));
    }
    row.push_back(strategy_words(r.request.space, f.place.base, f.strategy));
    table.add(row);
  }
  const std::string of = shown < front.size() ? ", " + std::to_string(shown) + " of " : ", ";
  return "\n" + ink(style, Ink::bold, "Pareto front") + of +
         grouped(static_cast<std::int64_t>(front.size())) +
         " strategies none of which is beaten in all aims\n" + text_of(table.indented(2), {});
}

std::string limit(const SearchReport& r, const Style& style) {
  const RunReport& run = r.best.empty() ? r.nearest[0] : r.best[0];
  return "\n" + ink(style, Ink::bold, "Limit") + "  " +
         wrapped(limiter(run.resolved.run, run.answer), 7, 7) + "\n";
}

// One sentence of it: the largest elasticities, and the memory that is left.
std::string sensitivity(const SearchReport& r, const Style& style) {
  if (r.elasticities.empty()) return "";
  std::string text;
  for (const Elasticity& e : r.elasticities) {
    if (std::abs(e.value) < kWorthAWord) break;
    const std::string change = percent(std::abs(e.value) / 100, 2);
    text += (text.empty() ? "1 % more " : ", ") + std::string(e.name) +
            (e.value < 0 ? " −" : " +") + change;
  }
  const Answer& a = r.best[0].answer;
  text += "; memory: " + gib_text(a.capacity - a.memory.peak, 1) + " are left of " +
          gib_text(a.capacity, 1);
  return "\n" + ink(style, Ink::bold, "Sensitivity") +
         " of the winner's step: " + wrapped(text, 35, 2) + "\n";
}

std::string refined(const SearchReport& r, const Style& style) {
  if (r.refined.empty()) return "";
  Table table({{"", true}, {"estimated", true}, {"simulated", true}, {"difference", true}});
  for (std::size_t i = 0; i < r.refined.size(); ++i) {
    const Refined& f = r.refined[i];
    table.add({std::to_string(i + 1), pretty(f.estimated), pretty(f.simulated),
               percent(f.simulated / f.estimated - 1, 2)});
  }
  return "\n" + ink(style, Ink::bold, "Simulated") + "\n" + text_of(table.indented(2), {});
}

std::string own(const SearchReport& r, const Style& style) {
  if (!r.own) return "";
  const Space& space = r.request.space;
  std::string text = strategy_words(space, 0, r.own->resolved.run.strategy) + ": " +
                     pretty(r.own->answer.step_time) + ", " +
                     gib_text(r.own->answer.memory.peak, 1);
  if (!is_feasible(*r.own)) text += ", which does not fit by this prediction";
  if (!r.best.empty()) {
    const double more = r.own->answer.step_time / r.best[0].answer.step_time - 1;
    text += "; " + percent(more) + (more < 0 ? "" : " more") + " than the best found";
    if (!r.own_difference.empty()) text += ": " + r.own_difference;
    const bool tie = r.own->answer.step_time <= r.best[0].answer.step_time * r.answer.tie;
    text += tie ? "; a tie" : "; beyond the interval";
  }
  return "\n" + ink(style, Ink::bold, "Its own strategy") + "\n  " + wrapped(text, 2, 2) + "\n";
}

std::string loss_text(const FamilyReport& f) {
  if (f.family.best.place.unit < 0) return f.reason;
  if (f.slowdown == 0) return "the winner's, or as fast";
  const std::string size = percent(f.slowdown, f.slowdown < 0.0995 ? 1 : 0);
  return "+" + size + (f.reason.empty() ? "" : ": " + f.reason);
}

// What is fast first, then what does not fit, then what is illegal.
bool is_nearer(const FamilyReport* a, const FamilyReport* b) {
  const auto rank = [](const FamilyReport* f) {
    return f->family.best.place.unit >= 0 ? 0 : f->family.legal > 0 ? 1 : 2;
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a->slowdown < b->slowdown;
}

std::vector<const FamilyReport*> shown_of(const SearchReport& r, std::size_t axis) {
  std::vector<const FamilyReport*> list;
  for (const FamilyReport& f : r.families) {
    if (f.family.axis == axis) list.push_back(&f);
  }
  std::stable_sort(list.begin(), list.end(), is_nearer);
  if (list.size() > kMostOfAnAxis) list.resize(kMostOfAnAxis);
  std::sort(list.begin(), list.end(), [](const FamilyReport* a, const FamilyReport* b) {
    return a->family.value < b->family.value;
  });
  return list;
}

std::string families(const SearchReport& r, const Style& style) {
  std::string text;
  const Space& space = r.request.space;
  for (std::size_t a = 0; a < kSearchAxes + space.outer.size(); ++a) {
    for (const FamilyReport* f : shown_of(r, a)) {
      const std::string name = axis_name(space, a) + " " + axis_text(space, a, f->family.value);
      text += "  " + left(name, 26) + shortened(loss_text(*f), kTextWidth - 28) + "\n";
    }
  }
  if (text.empty()) return "";
  return "\n" + ink(style, Ink::bold, "The best with") + " each value, beside the winner\n" + text;
}

std::string rules(const SearchReport& r, const Style& style) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i <= kRules; ++i) {
    if (r.answer.rejected[i] > 0) order.push_back(i);
  }
  if (order.empty()) return "";
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return r.answer.rejected[a] > r.answer.rejected[b];
  });
  std::string text = "\n" + ink(style, Ink::bold, "Illegal") + " by the rule that says so first\n";
  for (std::size_t i = 0; i < std::min(kMostRules, order.size()); ++i) {
    const Rule& rule = rule_of(static_cast<RuleId>(order[i]));
    const std::string head = "  " + left(std::string(rule.name), 26) +
                             right(grouped(r.answer.rejected[order[i]]), 12) + "  ";
    text += head + shortened(std::string(rule.allowed), kTextWidth - 42) + "\n";
  }
  if (order.size() > kMostRules) {
    text += "  and " + std::to_string(order.size() - kMostRules) + " more\n";
  }
  return text;
}

std::string verdict(const SearchReport& r, const Style& style) {
  if (!r.best.empty()) return "";
  return left("answer", kLabel) + ink(style, Ink::red, "nothing fits") +
         "; below is the strategy that needs least memory\n";
}

}  // namespace

std::string search_text(const SearchReport& r, const Style& style) {
  const RunReport& first = r.best.empty() ? r.nearest[0] : r.best[0];
  return text_of(run_header(first.resolved), style) + "\n" + verdict(r, style) + counts(r) +
         ties(r) + best_table(r, style) + front_table(r, style) + limit(r, style) +
         sensitivity(r, style) + refined(r, style) + own(r, style) + families(r, style) +
         rules(r, style);
}

}  // namespace orrery
