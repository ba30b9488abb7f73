// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_row.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "document/escape.h"
#include "document/words.h"
#include "explore/axis_keys.h"
#include "explore/rule_error.h"
#include "explore/space_json.h"
#include "explore/sweep_rows.h"
#include "hardware/calibration.h"
#include "insight/metric_source.h"
#include "insight/metrics.h"
#include "insight/run_report.h"
#include "insight/simulation_report.h"
#include "report/frame.h"

namespace orrery {
namespace {

constexpr const char* kPath = "cluster.calibration";

Json given_by(const Json& run) {
  const auto cluster = run.find("cluster");
  if (cluster == run.end() || !cluster->is_object()) return {};
  const auto given = cluster->find("calibration");
  return given == cluster->end() ? Json() : *given;
}

struct Named {
  Calibration calibration;
  Json document;
};

std::vector<Named> calibrations_of(const Json& run, const std::string& file,
                                   const ConfigLookup& lookup) {
  const Json given = given_by(run);
  if (given.is_null()) return {};
  const Reader all(given, file, kPath);
  std::vector<Named> out;
  for (const Reader& one : given.is_array() ? all.items() : std::vector<Reader>{all}) {
    Named n;
    n.calibration = calibration_at(one, lookup.hardware, n.document);
    out.push_back(std::move(n));
  }
  return out;
}

// A key's unit is in its name but for these two.
std::string column_of(const Metric& m) {
  return std::string(m.key) +
         (m.unit == "B" && m.key != "memory.bytes_per_parameter" ? "_bytes" : "");
}

bool is_of_memory(const Metric& m) { return m.key.rfind("memory.", 0) == 0; }

void add_metrics(const Run& run, const Answer& a, bool memory_only, Json& row) {
  for (const Metric& m : metrics()) {
    if (!memory_only || is_of_memory(m)) row[column_of(m)] = m.value({run, a});
  }
  if (memory_only) return;
  row["interval_80.low_s"] = a.interval_low.si();
  row["interval_80.high_s"] = a.interval_high.si();
}

void add_strategy(const Strategy& s, Json& row) {
  for (std::size_t i = 0; i < kSearchAxes; ++i) {
    const auto axis = static_cast<SearchAxis>(i);
    const bool word = is_of_words(axis);
    Json& cell = row["best." + std::string(kNamesOf<SearchAxis>[i])];
    if (word) {
      cell = orrery::text_of(axis, value_of(s, axis));
    } else {
      cell = value_of(s, axis);
    }
  }
  row["best.recompute_layers"] = s.recompute_layers;
}

// All columns of an answer, with nothing in them.
std::vector<std::string> all_columns(SweepAnswer answer) {
  Json row = Json::object();
  if (answer == SweepAnswer::search) {
    row["candidates"] = nullptr;
    row["ties"] = nullptr;
    add_strategy(Strategy{}, row);
  }
  std::vector<std::string> names;
  for (const auto& [key, value] : row.items()) names.push_back(key);
  for (const Metric& m : metrics()) {
    if (answer != SweepAnswer::memory || is_of_memory(m)) names.push_back(column_of(m));
  }
  if (answer != SweepAnswer::memory) {
    names.emplace_back("interval_80.low_s");
    names.emplace_back("interval_80.high_s");
  }
  return names;
}

std::vector<std::string> chosen_columns(const SweepPlan& sweep, const std::string& file) {
  const std::vector<std::string> all = all_columns(sweep.answer);
  if (sweep.columns.empty()) return all;
  for (const std::string& c : sweep.columns) {
    if (std::find(all.begin(), all.end(), c) != all.end()) continue;
    throw InputError(file, "columns", "\"" + c + "\"",
                     "columns of this answer (`orrery list metrics`)", nearest_name(c, all));
  }
  return sweep.columns;
}

std::string status_of(Reason r) { return r == Reason::fits ? "fits" : "does not fit"; }

Json estimated(const ResolvedRun& r, bool memory_only) {
  const Answer a = estimate(r.run);
  Json row = {{"status", status_of(a.reason)}, {"reason", ""}};
  add_metrics(r.run, a, memory_only, row);
  return row;
}

Json simulated(const ResolvedRun& r) {
  check_playable(r);
  const SimulationReport played = report_on_simulation(r, {});
  Json row = {{"status", status_of(played.run.answer.reason)}, {"reason", ""}};
  add_metrics(r.run, played.run.answer, false, row);
  return row;
}

Json searched(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const SearchQuestion asked = taken_apart(run);
  const SearchRequest request = read_search(asked.run, file, lookup, asked.search, metric_source());
  SearchOptions options;
  options.top = 1;
  options.tie = request.tie;
  options.families = false;
  options.conditions = &request.conditions;
  const SearchAnswer a = search(request.space, options);
  Json row = {
      {"status", "nothing fits"}, {"reason", ""}, {"candidates", a.candidates}, {"ties", a.ties}};
  if (a.best.empty()) return row;
  row["status"] = "fits";
  add_strategy(a.recommended.strategy, row);
  Run winner = request.space.bases[a.recommended.place.base].run;
  winner.strategy = a.recommended.strategy;
  add_metrics(winner, estimate(winner), false, row);
  return row;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return csv_escaped(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

bool is_calibrated(const SweepPlan& sweep) {
  const std::vector<std::string> paths = paths_of(sweep);
  return !given_by(sweep.run).is_null() ||
         std::find(paths.begin(), paths.end(), kPath) != paths.end();
}

std::string calibrations_text(const Json& run, const std::string& file,
                              const ConfigLookup& lookup) {
  std::vector<std::string> texts;
  for (const Named& n : calibrations_of(run, file, lookup)) {
    texts.push_back(n.calibration.name + " (" + std::string(name_of(n.calibration.rests_on)) + ")");
  }
  return joined(texts, " · ");
}

std::string calibration_documents(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup) {
  std::string text;
  for (const Named& n : calibrations_of(run, file, lookup)) text += n.document.dump();
  return text;
}

SweepRows::SweepRows(const SweepPlan& sweep, const std::string& file, std::string id,
                     RowFormat format)
    : sweep_(sweep),
      id_(std::move(id)),
      format_(format),
      calibrated_(is_calibrated(sweep)),
      columns_(chosen_columns(sweep, file)) {}

std::string SweepRows::header() const {
  if (format_ == RowFormat::json) return "";
  std::string text = "sweep,points,point";
  for (const std::string& path : paths_of(sweep_)) text += "," + csv_cell(path);
  text += ",status,reason";
  if (calibrated_) text += ",calibration";
  for (const std::string& c : columns_) text += "," + c;
  return text + "," + kChecksum + "\n";
}

Json SweepRows::answer_of(const Json& run, const std::string& file,
                          const ConfigLookup& lookup) const {
  try {
    if (sweep_.answer == SweepAnswer::search) return searched(run, file, lookup);
    if (sweep_.answer == SweepAnswer::simulate) return simulated(resolve_run(run, file, lookup));
    return estimated(resolve_run(run, file, lookup), sweep_.answer == SweepAnswer::memory);
  } catch (const InputError& e) {
    if (!breaks_a_rule(e)) throw;
    return {{"status", "illegal"}, {"reason", e.what()}};
  }
}

std::string SweepRows::row(std::int64_t point, const Json& run, const std::string& file,
                           const ConfigLookup& lookup) const {
  Json row = {{"sweep", id_}, {"points", sweep_.points}, {"point", point}};
  for (const SweepSetting& s : settings_of(sweep_, point)) row[s.path] = s.value;
  const Json answer = answer_of(run, file, lookup);
  row["status"] = answer["status"];
  row["reason"] = answer["reason"];
  if (calibrated_) row["calibration"] = calibrations_text(run, file, lookup);
  for (const std::string& c : columns_) row[c] = answer.contains(c) ? answer[c] : Json();
  check_finite(row);
  return text_of(row);
}

std::string SweepRows::text_of(const Json& row) const {
  if (format_ == RowFormat::json) {
    return row_line(row.dump(-1, ' ', false, Json::error_handler_t::replace), false);
  }
  std::string text;
  for (const auto& [key, value] : row.items()) text += (text.empty() ? "" : ",") + csv_cell(value);
  return row_line(text, true);
}

}  // namespace orrery
