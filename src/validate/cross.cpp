// SPDX-License-Identifier: Apache-2.0
#include "validate/cross.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/config_lookup.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "estimate/workspace.h"
#include "parallel/framework_keys.h"
#include "parallel/strategy_json.h"
#include "parallel/strategy_keys.h"
#include "validate/left_out_configs.h"

namespace orrery {
namespace {

FitSelection fold(const FitRuns& runs, const FitSelection& all, std::size_t team) {
  FitSelection s = all;
  for (std::size_t i = 0; i < runs.cases.size(); ++i) {
    if (runs.cases[i].team == team) s.data[i] = false;
  }
  return s;
}

double log_ratio(const JudgedRow& r) { return std::log(r.answer.step_time / r.published.time); }

std::set<std::string> all_teams(const std::vector<JudgedRow>& rows) {
  std::set<std::string> out;
  for (const JudgedRow& r : rows) out.insert(r.row.source.team);
  return out;
}

std::set<std::string> sources_of(const std::vector<JudgedRow>& rows, const std::string& team) {
  std::set<std::string> out;
  for (const JudgedRow& r : rows) {
    if (r.row.source.team == team) out.insert(r.row.source.group);
  }
  return out;
}

// By the slopes at the prior alone, which takes no estimate a team.
std::vector<double> constants_without(const FitRuns& runs, const std::string& team) {
  const FitSelection all = everything(runs);
  const auto found = std::find(runs.teams.begin(), runs.teams.end(), team);
  return fit_linear(runs, fold(runs, all, static_cast<std::size_t>(found - runs.teams.begin()))).x;
}

// The profiles that price an unknown stack are no stack that anybody knows.
bool names_a_stack(const std::string& framework) {
  return framework != kDefaultFramework && !find_name<StackClass>(framework);
}

bool is_seen_elsewhere(const std::vector<JudgedRow>& rows, const JudgedRow& r) {
  return names_a_stack(r.framework) &&
         std::any_of(rows.begin(), rows.end(), [&](const JudgedRow& other) {
           return other.framework == r.framework && other.row.source.team != r.row.source.team;
         });
}

void erase_recompute(Json& parallel) {
  parallel.erase(std::string(key_name<&StrategyRequest::recompute>));
  parallel.erase(std::string(key_name<&StrategyRequest::recompute_modules>));
  parallel.erase(std::string(key_name<&StrategyRequest::recompute_layers>));
  parallel.erase(std::string(key_name<&StrategyRequest::recompute_method>));
}

// The profile of the row's class. How its loss is computed is the user's where he chose it by an
// option of his framework: it sets whether the logits stand in memory at all.
Json profile_of_class(const JudgedRow& r) {
  const Framework& own = r.run.framework;
  const std::string stack(name_of(own.stack_class));
  const std::string loss(kFrameworkLossKeys.path);
  const Json& options = value_at(*r.row.run, key_path<&StrategyRequest::framework_options>);
  if (!options.contains(loss)) return stack;
  const std::string method(key_name<&FrameworkLoss::method>);
  return {{std::string(key_name<&Framework::name>), stack},
          {std::string(key_name<&FrameworkProfile::inherits>), stack},
          {loss, {{method, name_of(own.loss.method)}}}};
}

// The row with the profile of its class. Its strategy is the user's: what the row leaves to its
// own profile is written out, but not how that software spreads layers,
// nor what it recomputes where nobody says.
Row of_unknown_stack(const JudgedRow& r) {
  Row row = r.row;
  if (!is_estimated(r)) return row;
  Json run = *row.run;
  run[std::string(key_name<&RunRequest::framework>)] = profile_of_class(r);
  Json& parallel = run[kStrategyKeys.path];
  parallel.erase(std::string(key_name<&StrategyRequest::framework_options>));
  Json written = Json::object();
  StrategyRequest strategy = request_of(r.run.strategy);
  strategy.layer_split.reset();
  write_keys(kStrategyKeys, strategy, written);
  if (!r.open.empty()) erase_recompute(written);
  // Both say how states are sharded.
  parallel.erase(std::string(key_name<&StrategyRequest::zero>));
  parallel.erase(std::string(key_name<&StrategyRequest::partition>));
  parallel.erase(std::string(key_name<&StrategyRequest::zero_shard_group>));
  parallel.update(written);
  row.run = std::move(run);
  return row;
}

// Without options of its framework that nobody else has run.
Row of_known_stack(const JudgedRow& r, const std::set<std::string>& unseen) {
  Row row = r.row;
  const std::string options(key_name<&StrategyRequest::framework_options>);
  if (unseen.empty() || !row.run->contains(kStrategyKeys.path)) return row;
  Json run = *row.run;
  Json& parallel = run[kStrategyKeys.path];
  if (!parallel.contains(options)) return row;
  for (const std::string& option : unseen) parallel[options].erase(option);
  row.run = std::move(run);
  return row;
}

void set_interval(const Accuracy& table, Protocol protocol, JudgedRow& r) {
  if (!is_estimated(r)) return;
  StackKind kind = stack_kind(r.run);
  kind.framework = protocol == Protocol::known_stack ? r.framework : "";
  const AccuracyCell* found = cell_of(table.cells, kind);
  if (found == nullptr) return;
  const AccuracyCell c = on_gpus(table, *found, r.gpus);
  StepInterval i;
  i.low = c.low;
  i.high = c.high;
  for (const OpenKey& key : r.open) i = widened(i, key.alternatives, &Alternative::time_ratio);
  r.answer.interval_low = r.answer.step_time * i.low;
  r.answer.interval_high = r.answer.step_time * i.high;
}

void set_intervals(LeftOut& out) {
  for (const std::string& team : all_teams(out.unknown)) {
    const Accuracy table = accuracy_from(residuals_of(out, team));
    for (JudgedRow& r : out.known) {
      if (r.row.source.team == team) set_interval(table, Protocol::known_stack, r);
    }
    for (JudgedRow& r : out.unknown) {
      if (r.row.source.team == team) set_interval(table, Protocol::unknown_stack, r);
    }
  }
}

// The fold in which each case is left out: its team's, or that of every fifth row of its team.
std::vector<std::size_t> folds_by_team(const FitRuns& runs) {
  std::vector<std::size_t> fold;
  for (const FitCase& c : runs.cases) fold.push_back(c.team);
  return fold;
}

std::vector<std::size_t> folds_by_row(const FitRuns& runs) {
  constexpr std::size_t kFolds = 5;
  std::vector<std::size_t> seen(runs.teams.size(), 0);
  std::vector<std::size_t> fold;
  for (const FitCase& c : runs.cases) fold.push_back(seen[c.team]++ % kFolds);
  return fold;
}

// |ln(predicted/measured)| of every case, by a fit without its fold. The factor of a source is one
// where none of its rows is in the fit.
std::vector<double> errors_without_own(const FitRuns& runs, const FitSelection& selection,
                                       const std::vector<std::size_t>& fold) {
  std::vector<double> errors(runs.cases.size(), 0);
  const std::size_t folds = 1 + *std::max_element(fold.begin(), fold.end());
  for (std::size_t f = 0; f < folds; ++f) {
    FitSelection s = selection;
    for (std::size_t i = 0; i < fold.size(); ++i) s.data[i] = s.data[i] && fold[i] != f;
    const FitSolution at = fit_linear(runs, s);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] != f) continue;
      const double level = at.levels[runs.problem.data[i].level];
      errors[i] = std::abs(runs.linear.residual(i, at.x) + level);
    }
  }
  return errors;
}

double mean_over_teams(const FitRuns& runs, const std::vector<double>& errors) {
  std::vector<double> sum(runs.teams.size(), 0), count(runs.teams.size(), 0);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    sum[runs.cases[i].team] += errors[i];
    count[runs.cases[i].team] += 1;
  }
  double mean = 0;
  for (std::size_t g = 0; g < sum.size(); ++g) mean += sum[g] / count[g];
  return mean / static_cast<double>(sum.size());
}

LeftOutError left_out_error(const FitRuns& runs, const FitSelection& s) {
  return {mean_over_teams(runs, errors_without_own(runs, s, folds_by_team(runs))),
          mean_over_teams(runs, errors_without_own(runs, s, folds_by_row(runs)))};
}

}  // namespace

LeftOut left_out_team(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                      const ConfigLookup& lookup, const std::string& team) {
  LeftOut out;
  const std::vector<double> x = constants_without(runs, team);
  const std::set<std::string> sources = sources_of(rows, team);
  const ConfigLookup left = without_sources(lookup, sources, runs.parameters);
  const Adjust adjust = [&](Run& run) { set_constants(runs.parameters, x, run); };
  for (const JudgedRow& r : rows) {
    if (r.row.source.team != team) continue;
    if (is_seen_elsewhere(rows, r)) {
      const auto unseen = options_of_them_alone(lookup, r.framework, sources, runs.parameters);
      out.known.push_back(judge(of_known_stack(r, unseen), left, adjust));
    }
    out.unknown.push_back(judge(of_unknown_stack(r), left, adjust));
    out.unknown.back().framework = r.framework;
  }
  return out;
}

LeftOut left_out_rows(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                      const ConfigLookup& lookup) {
  LeftOut out;
  for (const std::string& team : all_teams(rows)) {
    LeftOut of = left_out_team(rows, runs, lookup, team);
    out.known.insert(out.known.end(), of.known.begin(), of.known.end());
    out.unknown.insert(out.unknown.end(), of.unknown.begin(), of.unknown.end());
  }
  set_intervals(out);
  return out;
}

// A source's rows of tier A, or all where it has none: what it lacks is no error of ours.
Residuals residuals_of(const LeftOut& rows, const std::string& without) {
  Residuals out;
  std::set<std::string> with_tier_a;
  for (const JudgedRow& r : rows.unknown) {
    if (r.row.tier == RowTier::a && counts(r)) with_tier_a.insert(r.row.source.group);
  }
  for (const Protocol protocol : {Protocol::known_stack, Protocol::unknown_stack}) {
    for (const JudgedRow& r : protocol == Protocol::known_stack ? rows.known : rows.unknown) {
      if (!counts(r) || r.row.source.team == without) continue;
      if (r.row.tier == RowTier::b && with_tier_a.count(r.row.source.group) > 0) continue;
      if (time_error(r)) out.time.push_back(time_residual(r, protocol));
      if (memory_error(r)) out.memory.push_back(memory_residual(r, protocol));
    }
  }
  return out;
}

namespace {

Summary observed(const std::vector<JudgedRow>& left_out, const Accuracy& table, bool of_three) {
  constexpr std::size_t kStarts = 10;
  std::map<std::string, std::vector<double>> series;  // ln(measured/predicted)
  for (const JudgedRow& r : left_out) {
    if (!time_error(r) || !counts(r) || r.row.tier != RowTier::a) continue;
    series[series_of(r)].push_back(-log_ratio(r));
  }
  std::vector<double> errors;
  Summary s;
  s.scope = of_three ? kThreeObservedScope : kOneObservedScope;
  for (const auto& [name, logs] : series) {
    const std::size_t n = logs.size();
    if (n < 6) continue;
    s.rows += static_cast<std::int64_t>(n);
    for (std::size_t start = 0; start < kStarts; ++start) {
      std::set<std::size_t> own = {start * 7 % n};
      if (of_three) own.insert({(start * 7 + n / 3) % n, (start * 7 + 2 * n / 3) % n});
      std::vector<double> given;
      for (const std::size_t i : own) given.push_back(logs[i]);
      const StackLevel level = stack_level(table, given);
      for (std::size_t i = 0; i < n; ++i) {
        if (own.count(i) == 0) errors.push_back(level.factor * std::exp(-logs[i]) - 1);
      }
    }
  }
  s.error = summarise(errors);
  s.one_factor = s.one_constant = s.error;
  s.error.count = s.rows;
  return s;
}

}  // namespace

Summary three_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table) {
  return observed(left_out, table, true);
}

Summary one_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table) {
  return observed(left_out, table, false);
}

namespace {

using RowsByModel = std::map<std::string, std::vector<const JudgedRow*>>;

std::string model_of(const JudgedRow& r) {
  return r.row.run->at(std::string(key_name<&RunRequest::model>)).dump();
}

// By site, those of three models and more.
std::map<std::string, RowsByModel> sites_of(const std::vector<JudgedRow>& rows) {
  std::map<std::string, RowsByModel> sites;
  for (const JudgedRow& r : rows) {
    if (!time_error(r) || !counts(r)) continue;
    sites[r.row.source.group + ", " + r.node + ", " + r.framework][model_of(r)].push_back(&r);
  }
  std::erase_if(sites, [](const auto& site) { return site.second.size() < 3; });
  return sites;
}

// A step of each of the next models, in their order, around to the first.
std::vector<SiteRun> steps_of_others(const RowsByModel& site, const std::string& model) {
  std::vector<SiteRun> out;
  auto at = site.find(model);
  for (std::size_t taken = 0; taken < 3;) {
    if (++at == site.end()) at = site.begin();
    if (at->first == model) continue;
    const JudgedRow& r = *at->second[taken * at->second.size() / 3];
    out.push_back({r.row.id, at->first, r.run, r.published.time, {}});
    ++taken;
  }
  return out;
}

struct SiteErrors {
  std::vector<double> before;
  std::vector<double> after;
  double held = 0;  // rows within their interval
};

void add_errors(const JudgedRow& r, const Site& levels, Workspace& workspace, SiteErrors& out) {
  Run run = r.run;
  apply(levels, run);
  const double after = estimate<double>(run, workspace).step_time / r.published.time;
  out.before.push_back(*time_error(r));
  out.after.push_back(after - 1);
  const double wide = kNormal80 * spread_of(levels, shares_of(run, workspace));
  out.held += std::abs(std::log(after)) <= wide ? 1 : 0;
}

double median_size(std::vector<double> errors) {
  for (double& e : errors) e = std::abs(e);
  return interpolated_quantile(std::move(errors), 0.5);
}

// Part of the median error that is left, of one site or of all.
double left_of(const SiteErrors& e) {
  const double before = median_size(e.before);
  return before > 0 ? median_size(e.after) / before : 1;
}

Summary summary_of(const std::string& scope, const std::vector<double>& errors) {
  Summary s;
  s.scope = scope;
  s.rows = static_cast<std::int64_t>(errors.size());
  s.error = summarise(errors);
  s.one_factor = s.one_constant = s.error;
  return s;
}

}  // namespace

OtherModels three_of_other_models(const std::vector<JudgedRow>& left_out, const SitePrior& prior) {
  Workspace workspace;
  SiteErrors all;
  std::vector<double> ratios;
  double held = 0;
  const std::map<std::string, RowsByModel> sites = sites_of(left_out);
  for (const auto& [name, site] : sites) {
    SiteErrors errors;
    for (const auto& [model, rows] : site) {
      const Site levels = fit_site(steps_of_others(site, model), prior);
      for (const JudgedRow* r : rows) add_errors(*r, levels, workspace, errors);
    }
    all.before.insert(all.before.end(), errors.before.begin(), errors.before.end());
    all.after.insert(all.after.end(), errors.after.begin(), errors.after.end());
    ratios.push_back(left_of(errors));
    held += errors.held / static_cast<double>(errors.after.size() * sites.size());
  }
  OtherModels out;
  const std::string scope = kOtherModelsScope;
  out.before = summary_of(scope + ": before", all.before);
  out.after = summary_of(scope + ": after", all.after);
  out.after.in_interval = held;
  out.left = summary_of(scope + ": part left", {left_of(all)});
  out.by_site = summary_of(scope + ": part left, by site", ratios);
  out.by_site.error.p90 = interpolated_quantile(ratios, 1);
  return out;
}

AblationReport ablate(const FitRuns& runs) {
  const FitSelection all = everything(runs);
  AblationReport report;
  report.error = left_out_error(runs, all);
  const ConstantsFit fitted = fit_constants(runs, all, 0);
  for (std::size_t k = 0; k < fitted.constants.size(); ++k) {
    if (!fitted.constants[k].pinned) continue;
    FitSelection s = all;
    s.knobs[k] = false;
    report.without.push_back({k, left_out_error(runs, s)});
  }
  return report;
}

}  // namespace orrery
