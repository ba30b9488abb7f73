// SPDX-License-Identifier: Apache-2.0
#include "insight/search_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/training_keys.h"
#include "estimate/workspace.h"
#include "explore/rule_error.h"
#include "explore/search.h"
#include "explore/search_team.h"
#include "explore/space.h"
#include "explore/space_json.h"
#include "insight/best_words.h"
#include "insight/listed_strategies.h"
#include "insight/metrics.h"
#include "insight/remedy.h"
#include "insight/switches.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// The name of a difference in a term.
constexpr EnumArray<Term, const char*> kTermWords = {
    "compute",        "recompute", "tensor parallel", "context parallel", "expert parallel",
    "pipeline sends", "bubble",    "data parallel",   "optimizer",        "offload",
    "host",           "other"};

// Less is not worth a word.
constexpr double kGrowthWorthSaying = 0.005;

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
    FamilyReport report;
    report.family = f;
    if (f.legal == 0) {
      report.reason = rule_text(f);
    } else if (f.feasible == 0) {
      report.reason = does_not_fit(f.nearest);
    } else if (f.best.place.unit < 0) {
      report.reason = "refused by the constraints";
    } else {
      const ListedStrategy& winner = r_.best[r_.fastest];
      report.slowdown = f.best.step_time / winner.run.answer.step_time - 1;
      report.loss = loss(f.best.objective, winner.found.objective);
      report.reason = report.loss == 0 ? "" : lost(f, winner.run.answer);
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

  // Candidates that no rule rejects were legal before the constraints.
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

  // The terms of the step; with an objective, which they do not explain, the step and the memory.
  std::string lost(const Family& f, const Answer& winner) {
    const std::string text =
        r_.request.conditions.objective
            ? "a step of " + pretty(f.best.step_time) + ", " + gib_text(f.best.peak, 1)
            : difference_in_words(answer_of(f.best), winner);
    const std::int64_t node = base_of(f.best).cluster.devices_per_node;
    const bool crosses = f.axis == static_cast<std::size_t>(SearchAxis::tp) && f.value > node &&
                         r_.best[r_.fastest].run.resolved.run.strategy.tp <= node;
    return crosses ? "crosses the node; " + text : text;
  }

  const SearchReport& r_;
  Workspace workspace_;
};

// The origins of a found strategy's keys that were not held.
std::vector<Fact> chosen_facts(const Space& space, const Found& found,
                               const std::vector<HeldKey>& held) {
  std::vector<Fact> facts;
  const Json keys = strategy_keys(space, found.strategy);
  for (const auto& [part, object] : keys.items()) {
    for (const auto& [key, value] : object.items()) {
      const std::string path = part + "." + key;
      const bool is_held =
          std::any_of(held.begin(), held.end(), [&](const HeldKey& h) { return h.path == path; });
      if (!is_held) facts.push_back({path, bare_text(value), "", Known::chosen, "orrery search"});
    }
  }
  return facts;
}

RunReport reported(const Json& run, const std::string& file, const ConfigLookup& lookup,
                   const SearchReport& report, const Found& found) {
  const Space& space = report.request.space;
  RunReport r = report_on(resolve_run(with_strategy(run, space, found.place.base, found.strategy),
                                      file, lookup, chosen_facts(space, found, report.held)));
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
void keep_own(const Json& run, const HeldKeys& held, Json& search) {
  if (!run.contains(kStrategyKeys.path)) return;
  const Json& p = run[kStrategyKeys.path];
  if (search.is_null()) search = Json::object();
  Json& axes = search["axes"];
  if (axes.is_null()) axes = Json::object();
  const auto is_free = [&](const std::string& key, const char* path) {
    return p.contains(key) && !axes.contains(key) && !axes.contains(path) && !held.holds(path);
  };
  const std::string modules(key_name<&StrategyRequest::recompute_modules>);
  const std::string layers(key_name<&StrategyRequest::stage_layers>);
  if (is_free(modules, key_path<&StrategyRequest::recompute_modules>)) {
    axes[modules] = Json::array({p[modules]});
  }
  if (is_free(layers, key_path<&StrategyRequest::stage_layers>)) {
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

// Where the run is searched for: its file, its configurations, what a caller adds.
struct Search {
  SearchQuestion asked;
  const std::string& file;
  const ConfigLookup& lookup;
  const std::function<void(SearchOptions&)>& adjust;
  const SearchExtras& extras;
};

// The run's own strategy, or why it has none.
void set_own(const Search& s, SearchReport& r) {
  try {
    r.own = report_on(resolve_run(s.asked.run, s.file, s.lookup, s.extras.changes));
  } catch (const InputError& e) {
    if (!breaks_a_rule(e)) throw;
    r.own_refusal = e.what();
  }
}

// Frees what the run says of its strategy but for what is held.
void free_strategy(const HeldKeys& held, Search& s, SearchReport& r) {
  r.frees = true;
  r.held = held.all();
  if (s.asked.search.is_object() && s.asked.search.contains("axes")) {
    for (const auto& [key, value] : s.asked.search["axes"].items()) {
      r.held.push_back({key, brief(value), "search.axes"});
    }
  }
  Json freed = held.freed(s.asked.run);
  if (freed != s.asked.run) set_own(s, r);
  keep_own(s.asked.run, held, s.asked.search);
  s.asked.run = std::move(freed);
}

constexpr std::size_t kLayoutsSwitched = 3;
constexpr double kWorthAnotherSearch = 1.01;

// Takes the best switches of the layouts where they shorten the shortest step.
bool switch_layouts(const std::vector<Json>& layouts, const HeldKeys& held, Seconds shortest,
                    Search& s, SearchReport& r) {
  const Json& axes = value_at(s.asked.search, "axes");
  const auto is_free = [&](const std::string& path) {
    return !held.holds(path) && (!axes.is_object() || !axes.contains(path));
  };
  BestSwitches best;
  best.step_time = shortest;
  for (const Json& layout : layouts) {
    BestSwitches found = best_switches(layout, s.file, s.lookup, is_free);
    if (!found.settings.empty() && found.step_time < best.step_time) best = std::move(found);
  }
  r.switch_layouts = std::max(r.switch_layouts, layouts.size());
  for (const Setting& setting : best.settings) {
    std::erase_if(r.switches, [&](const Setting& old) { return old.path == setting.path; });
    r.switches.push_back(setting);
  }
  s.asked.run = with_settings(std::move(s.asked.run), best.settings);
  return !best.settings.empty();
}

// The keys of a strategy that its switches are: all options, as one key replaces them together.
void set_besides(const Search& s, SearchReport& r) {
  Json besides = Json::object();
  for (const Setting& setting : r.switches) {
    const bool is_option = lies_at(setting.path, key_path<&StrategyRequest::framework_options>);
    const std::string path =
        is_option ? key_path<&StrategyRequest::framework_options> : setting.path;
    set_at(besides, path, value_at(s.asked.run, path));
  }
  r.besides = std::move(besides);
}

// The run on as few GPUs as it fits on.
void set_fewest_gpus(Search& s, SearchReport& r) {
  const std::optional<Remedy> fewest =
      fewest_gpus_of_search(s.asked.run, s.asked.search, s.file, s.lookup);
  if (!fewest) {
    throw InputError(
        s.file, "cluster.gpus",
        "no size of up to " + grouped(kMostGpusTried) + " GPUs on which the run fits",
        "a larger device, a smaller micro batch or sequence, or a larger batch, of which "
        "more GPUs have a part: --global-batch N");
  }
  r.fewest_gpus = fewest->gpus;
  set_gpus(fewest->gpus, s.asked.run);
  r.own.reset();  // it has other GPUs
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

// The best, or where nothing fits the nearest.
void add_found(SearchReport& r, const Json& run, const std::string& file,
               const ConfigLookup& lookup) {
  const auto report = [&](const Found& f) { return reported(run, file, lookup, r, f); };
  if (r.answer.best.empty()) {
    r.nearest.push_back(report(r.answer.nearest));
    return;
  }
  for (const Found& f : listed_strategies(r.answer, r.top)) r.best.push_back({f, report(f), ""});
  explain_listed(r);
}

}  // namespace

std::string difference_in_words(const Answer& a, const Answer& winner) {
  auto order = kAllOf<Term>;
  const auto growth = [&](Term t) { return a.breakdown[t] - winner.breakdown[t]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](Term x, Term y) { return growth(x) > growth(y); });
  std::vector<std::string> parts;
  const auto add = [&](Term t) {
    if (std::abs(growth(t) / winner.step_time) < kGrowthWorthSaying) return;
    parts.push_back(std::string(kTermWords[t]) + " " + signed_seconds(growth(t)));
  };
  add(order[0]);
  add(order[1]);
  add(order.back());
  return joined(parts, ", ");
}

std::vector<FamilyReport> family_reports(const SearchReport& report) {
  return Reasons(report).all();
}

namespace {

// Searches once; true where its layouts may be searched again.
bool search_once(const Search& s, SearchReport& r) {
  r.request = read_search(s.asked.run, s.file, s.lookup, s.asked.search, metric_source());
  r.left_out = narrow(r.request.space);
  SearchOptions options = options_of(r, s.extras, s.file);
  s.adjust(options);
  r.top = options.top;
  r.best.clear();
  r.nearest.clear();
  r.answer = search(r.request.space, options);
  if (options.team != nullptr && !options.team->leads()) return false;
  // A search that was stopped has not seen the space, so it cannot call it empty; the best of what
  // it has seen is its answer.
  if (options.stopped && options.stopped()) {
    r.is_stopped = true;
    if (!r.answer.best.empty()) add_found(r, s.asked.run, s.file, s.lookup);
    return false;
  }
  if (legal(r.answer) == 0) refuse_empty(r);
  refuse_if_constraints_empty_it(r);
  add_found(r, s.asked.run, s.file, s.lookup);
  // A team searches once, since its other members have no answer to go on from.
  return !r.best.empty() && options.team == nullptr;
}

std::vector<Json> found_layouts(const Search& s, const SearchReport& r) {
  std::vector<Json> runs;
  for (const ListedStrategy& l : r.best) {
    if (runs.size() == kLayoutsSwitched) break;
    runs.push_back(
        with_strategy(s.asked.run, r.request.space, l.found.place.base, l.found.strategy));
  }
  return runs;
}

bool asks_of_other_than_time(const Json& search) {
  return search.is_object() && (search.contains("objective") || search.contains("pareto"));
}

// The layouts with the framework's switches at their best: found on common layouts, and again on
// the layouts that the search finds.
void search_with_switches(const HeldKeys& held, Search& s, SearchReport& r) {
  // Switches are judged by the step alone.
  if (asks_of_other_than_time(s.asked.search)) {
    search_once(s, r);
    return;
  }
  const Seconds any(std::numeric_limits<double>::infinity());
  const std::vector<Json> common =
      common_layouts(s.asked.run, s.asked.search, kLayoutsSwitched, s.file, s.lookup);
  switch_layouts(common, held, any, s, r);
  if (!search_once(s, r)) return;
  const Seconds shortest = r.best[r.fastest].run.answer.step_time / kWorthAnotherSearch;
  if (switch_layouts(found_layouts(s, r), held, shortest, s, r)) search_once(s, r);
}

}  // namespace

SearchReport report_on_search(const Json& run, const std::string& file, const ConfigLookup& lookup,
                              const std::function<void(SearchOptions&)>& adjust,
                              const SearchExtras& extras) {
  SearchReport r;
  Search s{taken_apart(run), file, lookup, adjust, extras};
  const HeldKeys held(s.asked.run, extras.changes, extras.keep);
  if (extras.frees) free_strategy(held, s, r);
  if (extras.fewest) set_fewest_gpus(s, r);
  if (extras.frees) {
    search_with_switches(held, s, r);
    set_besides(s, r);
  } else {
    search_once(s, r);
  }
  if (r.best.empty() || r.is_stopped) return r;
  r.families = family_reports(r);
  r.elasticities = elasticities(r.best[0].run.resolved.run);
  if (r.own) r.own_difference = difference_in_words(r.own->answer, r.best[r.fastest].run.answer);
  simulate_listed(r, extras.refine);
  return r;
}

}  // namespace orrery
