// SPDX-License-Identifier: Apache-2.0
#include "insight/search_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "core/error.h"
#include "core/key_access.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "estimate/training_keys.h"
#include "estimate/workspace.h"
#include "explore/axis_keys.h"
#include "explore/incumbents.h"
#include "explore/recommend.h"
#include "explore/search_team.h"
#include "insight/metric_source.h"
#include "parallel/strategy_keys.h"
#include "sim/simulate.h"

namespace orrery {
namespace {

// The name of a difference in a term.
constexpr EnumTable<Term, const char*> kTermWords = {
    "compute",        "recompute", "tensor parallel", "context parallel", "expert parallel",
    "pipeline sends", "bubble",    "data parallel",   "optimizer",        "offload",
    "host",           "other"};

// Less is not worth a word.
constexpr double kGrowthWorthSaying = 0.005;

std::string signed_seconds(Seconds t) {
  return (t < Seconds() ? "−" : "+") + pretty(Seconds(std::abs(t.si())), 3);
}

class Reasons {
 public:
  explicit Reasons(const SearchReport& r) : r_(r) {}

  std::vector<FamilyReport> all() {
    std::vector<FamilyReport> list;
    for (const Family& f : r_.answer.families) {
      if (varies(f.axis)) list.push_back(of(f));
    }
    return list;
  }

 private:
  // An axis that follows from others says nothing of its own.
  bool is_asked(std::size_t a) const {
    const auto axis = static_cast<SearchAxis>(a);
    if (axis != SearchAxis::zero_shard_group && axis != SearchAxis::recompute_modules) return true;
    const AxisValues& values = r_.request.space.axes[axis];
    return values.open || !values.is_free();
  }

  bool varies(std::size_t a) const {
    if (!is_asked(a)) return false;
    return std::count_if(r_.answer.families.begin(), r_.answer.families.end(),
                         [a](const Family& f) { return f.axis == a; }) > 1;
  }

  FamilyReport of(const Family& f) {
    FamilyReport report = {f, 0, ""};
    if (f.legal == 0) {
      report.reason = rule_text(f);
    } else if (f.feasible == 0) {
      report.reason = does_not_fit(f.nearest);
    } else if (f.best.place.unit < 0) {
      report.reason = "refused by the constraints";
    } else {
      const Answer& winner = r_.best[r_.fastest].run.answer;
      report.slowdown = f.best.step_time / winner.step_time - 1;
      report.reason = report.slowdown == 0 ? "" : lost(f, winner);
    }
    return report;
  }

  std::string does_not_fit(const Found& nearest) {
    const Answer a = answer_of(nearest);
    if (a.reason == Reason::host_memory) {
      return "does not fit: " + gib_text(a.host_needed, 1) + " > " + gib_text(a.host_capacity, 1) +
             " of the host of a node";
    }
    if (a.reason == Reason::fits) {
      return "fits too tightly: " + gib_text(a.memory.peak, 1) + " of " + gib_text(a.capacity, 1) +
             " at least";
    }
    return "does not fit: " + gib_text(a.memory.peak, 1) + " > " + gib_text(a.capacity, 1) +
           " on stage " + std::to_string(a.memory_stage) + " at least";
  }

  // Those that no rule rejects were legal before the constraints.
  static std::string rule_text(const Family& f) {
    const std::int64_t rejected =
        std::accumulate(f.rejected.begin(), f.rejected.end(), std::int64_t{0});
    if (rejected < f.candidates) return "refused by the constraints";
    const auto most = std::max_element(f.rejected.begin(), f.rejected.end());
    const Rule& rule = rule_of(static_cast<RuleId>(most - f.rejected.begin()));
    return "illegal: " + std::string(rule.allowed);
  }

  const Run& base_of(const Found& f) const { return r_.request.space.bases[f.place.base].run; }

  Answer answer_of(const Found& f) {
    Run run = base_of(f);
    run.strategy = f.strategy;
    return estimate<double>(run, workspace_);
  }

  std::string lost(const Family& f, const Answer& winner) {
    const std::string text = difference_in_words(answer_of(f.best), winner);
    const std::int64_t node = base_of(f.best).cluster.devices_per_node;
    const bool crosses = f.axis == static_cast<std::size_t>(SearchAxis::tp) && f.value > node &&
                         r_.best[r_.fastest].run.resolved.run.strategy.tp <= node;
    return crosses ? "crosses the node; " + text : text;
  }

  const SearchReport& r_;
  Workspace workspace_;
};

RunReport reported(const Json& run, const std::string& file, const ConfigLookup& lookup,
                   const Space& space, const Found& found) {
  RunReport r = report_on(
      resolve_run(with_strategy(run, space, found.place.base, found.strategy), file, lookup));
  const bool estimated = found.step_time > Seconds();
  if ((estimated && r.answer.step_time != found.step_time) || r.answer.memory.peak != found.peak) {
    throw std::logic_error("search and estimate disagree on a strategy");
  }
  return r;
}

[[noreturn]] void refuse_empty(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  const std::string& file = r.request.open.resolved.file;
  if (a.candidates == 0) {
    throw InputError(file, "search.axes",
                     "an empty space: no values of all axes together make a strategy of " +
                         std::to_string(r.request.space.bases[0].run.cluster.gpus) + " GPUs",
                     "axes with tp·cp·pp·dp equal to gpus, shard groups that divide dp·cp, and a "
                     "value left of every other");
  }
  const auto most = std::max_element(a.rejected.begin(), a.rejected.end());
  const Rule& rule = rule_of(static_cast<RuleId>(most - a.rejected.begin()));
  throw InputError(file, std::string(rule.path),
                   "an empty space: of " + grouped(a.candidates) + " candidates the rule " +
                       std::string(rule.name) + " refuses " + grouped(*most),
                   std::string(rule.allowed));
}

// Something fits, and the constraints leave nothing of it; or they leave nothing to be tried.
void refuse_if_constraints_empty_it(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  if (!a.best.empty() || a.refused.empty()) return;
  const auto most = std::max_element(a.refused.begin(), a.refused.end());
  const bool nothing_fits =
      a.infeasible + a.too_risky > 0 && a.nearest.place.unit >= 0 && *most == 0;
  if (nothing_fits) return;
  const auto& constraint =
      r.request.conditions.constraints[static_cast<std::size_t>(most - a.refused.begin())];
  throw InputError(r.request.open.resolved.file, "search.constraints",
                   "an empty space: \"" + constraint.text() + "\" refuses " + grouped(*most) +
                       " candidates, and " + grouped(a.infeasible + a.too_risky) + " do not fit",
                   "constraints that some strategy meets");
}

std::int64_t legal(const SearchAnswer& a) {
  return a.candidates - std::accumulate(a.rejected.begin(), a.rejected.end(), std::int64_t{0});
}

// Values that no free axis would try stay among the candidates.
void keep_own(const Json& run, Json& search) {
  if (!run.contains(kStrategyKeys.path)) return;
  const Json& p = run[kStrategyKeys.path];
  if (search.is_null()) search = Json::object();
  Json& axes = search["axes"];
  if (axes.is_null()) axes = Json::object();
  const std::string modules(key_name<&StrategyRequest::recompute_modules>);
  const std::string layers(key_name<&StrategyRequest::stage_layers>);
  if (p.contains(modules) && !axes.contains(modules)) axes[modules] = Json::array({p[modules]});
  if (p.contains(layers) && !axes.contains(layers)) {
    axes[layers] = Json::array({"even", p[layers]});
  }
}

std::size_t heat_axis(const Space& space, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < kSearchAxes + space.outer.size(); ++a) {
    const bool sharding = a == static_cast<std::size_t>(SearchAxis::zero) ||
                          a == static_cast<std::size_t>(SearchAxis::zero_shard_group);
    if (axis_name(space, a) == name && !sharding) return a;
    if (!sharding) names.push_back(axis_name(space, a));
  }
  throw InputError("--heat", "", "\"" + name + "\"", "two axes of the search, as in tp,pp",
                   nearest_name(name, names));
}

AxisPair heat_axes(const Space& space, const std::string& text) {
  const std::size_t comma = text.find(',');
  const std::string second = comma == std::string::npos ? "" : text.substr(comma + 1);
  const AxisPair pair = {heat_axis(space, text.substr(0, comma)), heat_axis(space, second)};
  if (pair.x == pair.y) throw InputError("--heat", "", "one axis twice", "two axes, as in tp,pp");
  return pair;
}

// Time and memory, where no aims are given.
void ask_for_front(SearchRequest& request, const std::string& file) {
  if (!request.conditions.pareto.empty()) return;
  const MetricSource metrics = metric_source();
  const ExpressionSource source = {metrics, {}, false, file};
  for (const char* text : {"step_time_s", "memory.peak_gib"}) {
    request.conditions.pareto.push_back({BoundExpression(text, source, "--html"), false});
  }
}

void add_refined(SearchReport& r, std::size_t n) {
  for (std::size_t i = 0; i < std::min(n, r.best.size()); ++i) {
    const RunReport& run = r.best[i].run;
    r.refined.push_back({run.answer.step_time, simulate(run.resolved.run, {}).answer.step_time});
  }
}

// Frees what the run says of its strategy, and keeps that to be set beside the best.
void set_beside(SearchQuestion& asked, const std::string& file, const ConfigLookup& lookup,
                SearchReport& r) {
  r.own = report_on(resolve_run(asked.run, file, lookup));
  keep_own(asked.run, asked.search);
  asked.run = without_strategy(std::move(asked.run));
}

// The run on as few GPUs as it fits on.
void set_fewest_gpus(SearchQuestion& asked, const std::string& file, const ConfigLookup& lookup,
                     SearchReport& r) {
  r.fewest = fewest_gpus(asked.run, file, lookup);
  if (!r.fewest) {
    throw InputError(file, "cluster.gpus", "no size of up to 65,536 GPUs on which the run fits",
                     "a larger device, a smaller micro batch or sequence");
  }
  at_key<&ClusterRequest::gpus>(at_key<&RunRequest::cluster>(asked.run)) = r.fewest->gpus;
}

SearchOptions options_of(SearchReport& r, const SearchExtras& extras, const std::string& file) {
  SearchOptions options;
  options.top = r.request.top;
  options.tie = r.request.tie;
  options.conditions = &r.request.conditions;
  if (extras.page) {
    ask_for_front(r.request, file);
    r.heat = options.pair = heat_axes(r.request.space, extras.heat);
  }
  return options;
}

bool is_same(const Found& a, const Found& b) {
  return a.place.unit == b.place.unit && a.place.point.number == b.place.point.number;
}

// Two strategies of one kind are near copies: they differ in chunks, micro batch or numbers of
// layers alone.
auto kind_of(const Found& f) {
  const Strategy& s = f.strategy;
  return std::tuple(f.place.base, s.tp, s.cp, s.pp, s.ep, s.recompute, s.zero == 3);
}

// The fastest of each value of each axis within the error bar, the fastest first.
std::vector<Found> best_of_families(const SearchAnswer& a) {
  std::vector<Found> all;
  for (const Family& f : a.families) {
    if (f.best.place.unit < 0 || !is_tie(f.best.objective, a.best[0].objective, a.tie)) continue;
    all.push_back(f.best);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& x, const Found& y) { return x.objective < y.objective; });
  return all;
}

std::vector<Found> listed(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  std::vector<Found> list = {a.recommended};
  const auto has = [&list](const auto& is_like) {
    return std::any_of(list.begin(), list.end(), is_like);
  };
  const auto add = [&](const Found& f, bool of_another_kind) {
    if (list.size() >= std::max<std::size_t>(r.top, 2)) return;
    const bool is_known = has([&](const Found& g) {
      return is_same(f, g) || (of_another_kind && kind_of(f) == kind_of(g));
    });
    if (!is_known) list.push_back(f);
  };
  add(a.best[0], false);
  for (const Found& f : best_of_families(a)) add(f, true);
  for (const Found& f : a.best) add(f, false);
  return list;
}

std::string fit_text(const RunReport& r) {
  return percent(std::min(0.99, fit_probability(r.resolved.run, r.answer)), 0);
}

// What the recommended strategy has over the fastest, in the order of recommend.h.
std::string preferred(const RunReport& r, const RunReport& fastest) {
  const Run& run = r.resolved.run;
  if (fit_rank(run, r.answer) < fit_rank(fastest.resolved.run, fastest.answer)) {
    return "fits more surely, with " + fit_text(r) + " beside " + fit_text(fastest);
  }
  std::vector<std::string> without;
  const std::vector<std::string> rare = rare_switches(run);
  for (const std::string& name : rare_switches(fastest.resolved.run)) {
    if (std::find(rare.begin(), rare.end(), name) == rare.end()) without.push_back(name);
  }
  if (!without.empty()) return "without " + joined(without, ", ");
  if (switch_points(run) < switch_points(fastest.resolved.run)) return "simpler";
  return "loses less where the hardware is worse than stated";
}

// "tp 8, no pipeline": how one differs from another in what makes its kind.
std::string kind_words(const Strategy& s, const Strategy& from) {
  std::vector<std::string> parts;
  const auto degree = [&](const char* name, std::int64_t a, std::int64_t b, const char* none) {
    if (a != b) parts.push_back(a == 1 ? none : name + std::string(" ") + std::to_string(a));
  };
  degree("tp", s.tp, from.tp, "no tensor parallel");
  degree("cp", s.cp, from.cp, "no context parallel");
  degree("pp", s.pp, from.pp, "no pipeline");
  degree("ep", s.ep, from.ep, "no expert parallel");
  if (s.recompute != from.recompute) {
    parts.push_back("recompute " + std::string(name_of(s.recompute)));
  }
  if ((s.zero == 3) != (from.zero == 3)) parts.push_back("ZeRO " + std::to_string(s.zero));
  return joined(parts, ", ");
}

std::string why_listed(const SearchReport& r, std::size_t i) {
  const ListedStrategy& one = r.best[i];
  const RunReport& fastest = r.best[r.fastest].run;
  if (i == 0 && r.fastest == 0) return "recommended, and the fastest";
  const std::string slower =
      percent(one.run.answer.step_time / fastest.answer.step_time - 1) + " over the fastest";
  if (i == 0) return "recommended, " + slower + ": " + preferred(one.run, fastest);
  if (i == r.fastest) return "the fastest; fits with " + fit_text(one.run);
  const std::string kind = kind_words(one.found.strategy, r.best[0].found.strategy);
  return kind.empty() ? "a near copy, " + slower
                      : "another kind, " + slower + ": " + kind + ", " +
                            gib_text(one.run.answer.memory.peak, 1);
}

// The best, or where nothing fits the nearest.
void add_found(SearchReport& r, const Json& run, const std::string& file,
               const ConfigLookup& lookup) {
  const auto report = [&](const Found& f) {
    return reported(run, file, lookup, r.request.space, f);
  };
  if (r.answer.best.empty()) {
    r.nearest.push_back(report(r.answer.nearest));
    return;
  }
  for (const Found& f : listed(r)) r.best.push_back({f, report(f), ""});
  r.fastest = is_same(r.best[0].found, r.answer.best[0]) ? 0 : 1;
  for (std::size_t i = 0; i < r.best.size(); ++i) r.best[i].why = why_listed(r, i);
}

}  // namespace

std::string difference_in_words(const Answer& a, const Answer& winner) {
  std::array<std::size_t, kTerms> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto growth = [&](std::size_t i) { return a.breakdown[i] - winner.breakdown[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return growth(x) > growth(y); });
  std::vector<std::string> parts;
  const auto add = [&](std::size_t i) {
    if (std::abs(growth(i) / winner.step_time) < kGrowthWorthSaying) return;
    parts.push_back(std::string(kTermWords.values[i]) + " " + signed_seconds(growth(i)));
  };
  add(order[0]);
  add(order[1]);
  add(order[kTerms - 1]);
  return joined(parts, ", ");
}

std::vector<FamilyReport> family_reports(const SearchReport& report) {
  return Reasons(report).all();
}

SearchReport report_on_search(const Json& run, const std::string& file, const ConfigLookup& lookup,
                              const std::function<void(SearchOptions&)>& adjust,
                              const SearchExtras& extras) {
  SearchReport r;
  SearchQuestion asked = taken_apart(run);
  if (extras.fewest) set_fewest_gpus(asked, file, lookup, r);
  if (extras.beside) set_beside(asked, file, lookup, r);
  r.request = read_search(asked.run, file, lookup, asked.search, metric_source());
  SearchOptions options = options_of(r, extras, file);
  adjust(options);
  r.top = options.top;
  r.answer = search(r.request.space, options);
  if (options.team != nullptr && !options.team->leads()) return r;
  if (legal(r.answer) == 0) refuse_empty(r);
  refuse_if_constraints_empty_it(r);
  add_found(r, asked.run, file, lookup);
  if (r.best.empty()) return r;
  r.families = family_reports(r);
  r.elasticities = elasticities(r.best[0].run.resolved.run);
  if (r.own) r.own_difference = difference_in_words(r.own->answer, r.best[r.fastest].run.answer);
  add_refined(r, extras.refine);
  return r;
}

}  // namespace orrery
