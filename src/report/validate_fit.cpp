// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "document/words.h"
#include "report/frame_json.h"
#include "report/number_table.h"
#include "report/validate.h"

namespace orrery {
namespace {

const FitParameter& parameter(const FitRuns& runs, std::size_t k) {
  return runs.parameters.parameters[k];
}

std::string change_text(ChangeKind kind, double change) {
  if (kind == ChangeKind::offset) return (change < 0 ? "" : "+") + fixed(change, 3);
  return (kind == ChangeKind::excess ? "excess × " : "× ") + fixed(std::exp(change), 3);
}

std::string spread_text(ChangeKind kind, double spread) {
  return kind == ChangeKind::offset ? fixed(spread, 3) : percent(spread);
}

std::string cost_text(double share) { return (share < 0 ? "" : "+") + percent(share, 2); }

std::string movers_text(const ConstantFit& c) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMovers, c.moved_by.size()); ++i) {
    const MovedBy& m = c.moved_by[i];
    if (i > 0 && m.share < 0.01) break;
    text += (i > 0 ? ", " : "") + m.source + " " + percent(m.share, 0) + " (" +
            std::to_string(m.rows) + ")";
  }
  return text;
}

Table pinned_table(const FitRuns& runs, const ConstantsFit& fit) {
  Table table =
      number_table({"constant", "change of prior", "±", "prior ±", "bound", "moved by (rows)"});
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    const ConstantFit& c = fit.constants[k];
    const FitParameter& p = parameter(runs, k);
    if (!c.pinned) continue;
    table.add({p.name, change_text(p.kind, c.change), spread_text(p.kind, c.spread),
               spread_text(p.kind, p.spread), c.at_bound ? "reached" : "", movers_text(c)});
  }
  return table;
}

Table open_table(const FitRuns& runs, const ConstantsFit& fit) {
  Table table =
      number_table({"not pinned by the data: stays at its prior", "±", "prior ±", "rows"});
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    const ConstantFit& c = fit.constants[k];
    const FitParameter& p = parameter(runs, k);
    if (c.pinned) continue;
    std::size_t rows = 0;
    for (const MovedBy& m : c.moved_by) rows += m.rows;
    table.add({p.name, spread_text(p.kind, c.spread), spread_text(p.kind, p.spread),
               std::to_string(rows)});
  }
  return table;
}

Table level_table(const FitRuns& runs, const ConstantsFit& fit) {
  Table table = number_table({"stack factor of a source", "measured over predicted"});
  for (std::size_t l = 0; l < fit.levels.size(); ++l) {
    table.add({runs.levels[l], "× " + fixed(std::exp(fit.levels[l]), 3)});
  }
  return table;
}

Table change_table(const ConfigChanges& changes) {
  Table table = number_table({"changes of configs", "path", "from", "to"});
  for (const ConfigChange& c : changes.changes) {
    table.add({c.document, c.path, c.from, c.to});
  }
  return table;
}

Table count_table(const FitRuns& runs, const ConstantsFit& fit) {
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    if (!fit.constants[k].pinned) continue;
    const FitParameter& p = parameter(runs, k);
    const std::string kind(name_of(p.document));
    for (const std::string& name : p.in) ++counts[kind + " " + name];
  }
  Table table = number_table({"device, framework or node", "constants fitted"});
  for (const auto& [name, n] : counts) table.add({name, std::to_string(n)});
  return table;
}

std::string basis_text(Basis b) { return std::string(name_of(b)); }

Json constant_json(const FitParameter& p, const ConstantFit& c) {
  const auto mover_json = [](const MovedBy& m) -> Json {
    return {{"source", m.source}, {"share", m.share}, {"rows", m.rows}};
  };
  return {{"name", p.name},
          {"document", name_of(p.document)},
          {"in", p.in},
          {"kind", name_of(p.kind)},
          {"change", c.change},
          {"spread", c.spread},
          {"prior_spread", p.spread},
          {"pinned", c.pinned},
          {"at_bound", c.at_bound},
          {"moved_by", json_list(c.moved_by, mover_json)}};
}

Json levels_json(const FitRuns& runs, const ConstantsFit& fit) {
  Json levels = Json::array();
  for (std::size_t l = 0; l < fit.levels.size(); ++l) {
    levels.push_back({{"stack", runs.levels[l]}, {"factor", std::exp(fit.levels[l])}});
  }
  return levels;
}

}  // namespace

AnswerDocument fit_document(const FitRuns& runs, const ConstantsFit& fit,
                            const ConfigChanges& changes) {
  const auto pinned = std::count_if(fit.constants.begin(), fit.constants.end(),
                                    [](const ConstantFit& c) { return c.pinned; });
  AnswerDocument d{"Constants fitted on published runs"};
  add_table(d, pinned_table(runs, fit));
  add_table(d, open_table(runs, fit));
  add_table(d, level_table(runs, fit));
  add_table(d, count_table(runs, fit));
  add_table(d, change_table(changes));
  d.add({}).add(Paragraph{
      std::to_string(pinned) + " constants fitted on " + std::to_string(fit.rows) + " rows of " +
      std::to_string(runs.groups.size()) + " sources; " + std::to_string(changes.changes.size()) +
      " values of configs would change. Nothing is written without --write-configs."});
  return d;
}

Json fit_json(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes) {
  Json constants = Json::array();
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    constants.push_back(constant_json(parameter(runs, k), fit.constants[k]));
  }
  const auto change_json = [](const ConfigChange& c) -> Json {
    return {{"document", c.document}, {"path", c.path}, {"from", c.from}, {"to", c.to}};
  };
  return {{"rows", fit.rows},
          {"constants", constants},
          {"stack_factors", levels_json(runs, fit)},
          {"changes", json_list(changes.changes, change_json)}};
}

AnswerDocument ablation_document(const FitRuns& runs, const AblationReport& report) {
  Table table = number_table(
      {"constant left at its prior", "teams left out", "cost", "rows left out", "cost"});
  for (const Ablation& a : report.without) {
    table.add({parameter(runs, a.parameter).name, percent(a.error.teams),
               cost_text(a.error.teams - report.error.teams), percent(a.error.rows),
               cost_text(a.error.rows - report.error.rows)});
  }
  AnswerDocument d{"Cost of leaving each constant at its prior"};
  add_table(d, std::move(table));
  d.add({})
      .add(Paragraph{"With all of them " + percent(report.error.teams) + " and " +
                     percent(report.error.rows) +
                     ": mean over teams of the mean |ln(predicted/measured)| of what the fit has "
                     "not seen, a team or every fifth row of each."})
      .add(Paragraph{"A constant whose removal costs nothing by either is not worth having."});
  return d;
}

Json ablation_json(const FitRuns& runs, const AblationReport& report) {
  Json without = Json::array();
  for (const Ablation& a : report.without) {
    without.push_back({{"name", parameter(runs, a.parameter).name},
                       {"error", a.error.teams},
                       {"cost", a.error.teams - report.error.teams},
                       {"rows_error", a.error.rows},
                       {"rows_cost", a.error.rows - report.error.rows}});
  }
  return {{"error", report.error.teams}, {"rows_error", report.error.rows}, {"without", without}};
}

AnswerDocument consistency_document(const ConsistencyReport& report) {
  Table table = number_table(
      {"row that contradicts itself", "one", "step", "other", "step", "ratio", "usual"});
  for (const Contradiction& c : report.contradictions) {
    table.add({c.id, basis_text(c.one), fixed(c.time_of_one.si(), 3) + " s", basis_text(c.other),
               fixed(c.time_of_other.si(), 3) + " s", fixed(c.time_of_other / c.time_of_one, 3),
               fixed(c.median, 3)});
  }
  AnswerDocument d{"Rows against themselves"};
  add_table(d, std::move(table));
  Section& s = d.add({});
  for (const std::string& line : report.repeats) s.add(Paragraph{line});
  s.add(Paragraph{std::to_string(report.contradictions.size()) + " contradictions in " +
                  std::to_string(report.compared) +
                  " rows that publish two quantities or more, of " + std::to_string(report.rows) +
                  "; " + std::to_string(report.repeats.size()) +
                  " rows repeat another of their source."});
  return d;
}

Json consistency_json(const ConsistencyReport& report) {
  Json list = Json::array();
  for (const Contradiction& c : report.contradictions) {
    list.push_back({{"id", c.id},
                    {"one", name_of(c.one)},
                    {"one_step_time_s", c.time_of_one.si()},
                    {"other", name_of(c.other)},
                    {"other_step_time_s", c.time_of_other.si()},
                    {"usual_ratio", c.median}});
  }
  return {{"rows", report.rows},
          {"compared", report.compared},
          {"contradictions", list},
          {"repeats", report.repeats}};
}

}  // namespace orrery
