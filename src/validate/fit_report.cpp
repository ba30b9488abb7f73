// SPDX-License-Identifier: Apache-2.0
#include "validate/fit_report.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

const FitParameter& parameter(const FitRuns& runs, std::size_t k) {
  return runs.parameters.parameters[k];
}

std::string change_text(ChangeKind kind, double change) {
  if (kind == ChangeKind::offset) return (change < 0 ? "" : "+") + decimals(change, 3);
  return (kind == ChangeKind::excess ? "excess × " : "× ") + decimals(std::exp(change), 3);
}

std::string spread_text(ChangeKind kind, double spread) {
  return kind == ChangeKind::offset ? decimals(spread, 3) : share_text(spread);
}

std::string cost_text(double share) {
  return (share < 0 ? "" : "+") + decimals(100 * share, 2) + " %";
}

std::string movers_text(const ConstantFit& c) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMovers, c.moved_by.size()); ++i) {
    const MovedBy& m = c.moved_by[i];
    if (i > 0 && m.share < 0.01) break;
    text += (i > 0 ? ", " : "") + m.source + " " + decimals(100 * m.share, 0) + " % (" +
            std::to_string(m.rows) + ")";
  }
  return text;
}

std::vector<Cells> pinned_table(const FitRuns& runs, const ConstantsFit& fit) {
  std::vector<Cells> table = {
      {"constant", "change of prior", "±", "prior ±", "bound", "moved by (rows)"}};
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    const ConstantFit& c = fit.constants[k];
    const FitParameter& p = parameter(runs, k);
    if (!c.pinned) continue;
    table.push_back({p.name, change_text(p.kind, c.change), spread_text(p.kind, c.spread),
                     spread_text(p.kind, p.spread), c.at_bound ? "reached" : "", movers_text(c)});
  }
  return table;
}

std::vector<Cells> open_table(const FitRuns& runs, const ConstantsFit& fit) {
  std::vector<Cells> table = {
      {"not pinned by the data: stays at its prior", "±", "prior ±", "rows"}};
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    const ConstantFit& c = fit.constants[k];
    const FitParameter& p = parameter(runs, k);
    if (c.pinned) continue;
    std::size_t rows = 0;
    for (const MovedBy& m : c.moved_by) rows += m.rows;
    table.push_back({p.name, spread_text(p.kind, c.spread), spread_text(p.kind, p.spread),
                     std::to_string(rows)});
  }
  return table;
}

std::vector<Cells> level_table(const FitRuns& runs, const ConstantsFit& fit) {
  std::vector<Cells> table = {{"stack factor of a source", "measured over predicted"}};
  for (std::size_t l = 0; l < fit.levels.size(); ++l) {
    table.push_back({runs.levels[l], "× " + decimals(std::exp(fit.levels[l]), 3)});
  }
  return table;
}

std::vector<Cells> change_table(const ConfigChanges& changes) {
  std::vector<Cells> table = {{"changes of configs", "path", "from", "to"}};
  for (const ConfigChange& c : changes.changes) {
    table.push_back({c.document, c.path, c.from, c.to});
  }
  return table;
}

std::string paragraph(const std::vector<Cells>& table) {
  return table.size() > 1 ? aligned(table) + "\n" : "";
}

}  // namespace

std::vector<Cells> constant_table(const FitRuns& runs, const ConstantsFit& fit,
                                  const AblationReport& ablation) {
  std::vector<Cells> table = {{"constant", "change of prior", "±", "prior ±",
                               "cost of removing it, sources left out", "rows left out",
                               "moved by (rows)"}};
  for (const Ablation& a : ablation.without) {
    const ConstantFit& c = fit.constants[a.parameter];
    const FitParameter& p = parameter(runs, a.parameter);
    table.push_back({p.name, change_text(p.kind, c.change), spread_text(p.kind, c.spread),
                     spread_text(p.kind, p.spread),
                     cost_text(a.error.sources - ablation.error.sources),
                     cost_text(a.error.rows - ablation.error.rows), movers_text(c)});
  }
  return table;
}

std::vector<Cells> count_table(const FitRuns& runs, const ConstantsFit& fit) {
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    if (!fit.constants[k].pinned) continue;
    const FitParameter& p = parameter(runs, k);
    const std::string kind(name_of(p.document));
    for (const std::string& name : p.in) ++counts[kind + " " + name];
  }
  std::vector<Cells> table = {{"device, framework or node", "constants fitted"}};
  for (const auto& [name, n] : counts) table.push_back({name, std::to_string(n)});
  return table;
}

std::string fit_text(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes) {
  const auto pinned = std::count_if(fit.constants.begin(), fit.constants.end(),
                                    [](const ConstantFit& c) { return c.pinned; });
  return paragraph(pinned_table(runs, fit)) + paragraph(open_table(runs, fit)) +
         paragraph(level_table(runs, fit)) + paragraph(count_table(runs, fit)) +
         paragraph(change_table(changes)) + std::to_string(pinned) + " constants fitted on " +
         std::to_string(fit.rows) + " rows of " + std::to_string(runs.groups.size()) +
         " sources; " + std::to_string(changes.changes.size()) +
         " values of configs would change. Nothing is written without --write-configs.\n";
}

namespace {

Json constant_json(const FitParameter& p, const ConstantFit& c) {
  Json movers = Json::array();
  for (const MovedBy& m : c.moved_by) {
    movers.push_back({{"source", m.source}, {"share", m.share}, {"rows", m.rows}});
  }
  return {{"name", p.name},
          {"document", name_of(p.document)},
          {"in", p.in},
          {"kind", name_of(p.kind)},
          {"change", c.change},
          {"spread", c.spread},
          {"prior_spread", p.spread},
          {"pinned", c.pinned},
          {"at_bound", c.at_bound},
          {"moved_by", movers}};
}

Json levels_json(const FitRuns& runs, const ConstantsFit& fit) {
  Json levels = Json::array();
  for (std::size_t l = 0; l < fit.levels.size(); ++l) {
    levels.push_back({{"stack", runs.levels[l]}, {"factor", std::exp(fit.levels[l])}});
  }
  return levels;
}

}  // namespace

Json fit_json(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes) {
  Json constants = Json::array();
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    constants.push_back(constant_json(parameter(runs, k), fit.constants[k]));
  }
  Json changed = Json::array();
  for (const ConfigChange& c : changes.changes) {
    changed.push_back({{"document", c.document}, {"path", c.path}, {"from", c.from}, {"to", c.to}});
  }
  return {{"rows", fit.rows},
          {"constants", constants},
          {"stack_factors", levels_json(runs, fit)},
          {"changes", changed}};
}

std::string ablation_text(const FitRuns& runs, const AblationReport& report) {
  std::vector<Cells> table = {
      {"constant left at its prior", "sources left out", "cost", "rows left out", "cost"}};
  for (const Ablation& a : report.without) {
    table.push_back({parameter(runs, a.parameter).name, share_text(a.error.sources),
                     cost_text(a.error.sources - report.error.sources), share_text(a.error.rows),
                     cost_text(a.error.rows - report.error.rows)});
  }
  return paragraph(table) + "With all of them " + share_text(report.error.sources) + " and " +
         share_text(report.error.rows) +
         ": mean over sources of the mean |ln(predicted/measured)| of what the fit has not seen, a "
         "source or every fifth row of each.\nA constant whose removal costs nothing by either is "
         "not worth having.\n";
}

Json ablation_json(const FitRuns& runs, const AblationReport& report) {
  Json without = Json::array();
  for (const Ablation& a : report.without) {
    without.push_back({{"name", parameter(runs, a.parameter).name},
                       {"error", a.error.sources},
                       {"cost", a.error.sources - report.error.sources},
                       {"rows_error", a.error.rows},
                       {"rows_cost", a.error.rows - report.error.rows}});
  }
  return {{"error", report.error.sources}, {"rows_error", report.error.rows}, {"without", without}};
}

}  // namespace orrery
