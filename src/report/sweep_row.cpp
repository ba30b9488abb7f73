// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_row.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "document/escape.h"
#include "document/words.h"
#include "estimate/resolve.h"
#include "explore/axis_keys.h"
#include "explore/sweep_rows.h"
#include "insight/metrics.h"
#include "insight/rl_numbers.h"
#include "report/frame_json.h"
#include "report/sweep_calibrations.h"
#include "report/sweep_point.h"

namespace orrery {
namespace {

// A key's unit is in its name but for these two.
std::string column_of(const Metric& m) {
  return std::string(m.key) +
         (m.unit == "B" && m.key != "memory.bytes_per_parameter" ? "_bytes" : "");
}

bool is_of_memory(const Metric& m) { return m.key.starts_with("memory."); }

Json candidates_of(const PointAnswer& a) { return a.candidates; }
Json ties_of(const PointAnswer& a) { return a.ties; }
Json low_of(const PointAnswer& a) { return a.answer.interval_low.si(); }
Json high_of(const PointAnswer& a) { return a.answer.interval_high.si(); }
Json layers_of(const PointAnswer& a) { return a.run.strategy.recompute_layers; }

Json value_on(SearchAxis axis, const Strategy& s) {
  const std::int64_t value = value_of(s, axis);
  return is_of_words(axis) ? Json(orrery::text_of(axis, value)) : Json(value);
}

}  // namespace

// A number of the answer by its name: a metric, a value on an axis of the search, or another.
struct SweepColumn {
  std::string name;
  std::string key;  // how its cell begins in JSON
  const Metric* metric = nullptr;
  std::optional<SearchAxis> axis = {};
  Json (*other)(const PointAnswer&) = nullptr;
  const RlNumber* of_step = nullptr;  // of a run with training.rl
  bool without_numbers = false;       // stands also where nothing fits

  // Null where the point has none.
  Json cell(const PointAnswer& a) const {
    if (without_numbers ? !a.is_searched : !a.has_numbers) return {};
    if (of_step != nullptr) return a.step ? Json(of_step->value(*a.rl, *a.step)) : Json();
    if (a.step) return {};
    if (metric != nullptr) return metric->value({a.run, a.answer});
    return axis ? value_on(*axis, a.run.strategy) : other(a);
  }
};

namespace {

SweepColumn named_column(const std::string& name) {
  SweepColumn column;
  column.name = name;
  column.key = Json(name).dump() + ":";
  return column;
}

SweepColumn other_column(const std::string& name, Json (*other)(const PointAnswer&),
                         bool without_numbers = false) {
  SweepColumn column = named_column(name);
  column.other = other;
  column.without_numbers = without_numbers;
  return column;
}

std::vector<SweepColumn> search_columns() {
  std::vector<SweepColumn> columns = {other_column("candidates", candidates_of, true),
                                      other_column("ties", ties_of, true)};
  for (const SearchAxis axis : kAllOf<SearchAxis>) {
    columns.push_back(named_column("best." + std::string(name_of(axis))));
    columns.back().axis = axis;
  }
  columns.push_back(other_column("best.recompute_layers", layers_of));
  return columns;
}

std::vector<SweepColumn> columns_of_steps(SweepAnswer answer) {
  std::vector<SweepColumn> columns;
  for (const RlNumber& n : rl_numbers()) {
    if (answer == SweepAnswer::memory && n.kind != RlNumberKind::memory) continue;
    columns.push_back(named_column(n.key));
    columns.back().of_step = &n;
  }
  return columns;
}

std::vector<SweepColumn> all_columns(const SweepPlan& sweep) {
  const SweepAnswer answer = sweep.answer;
  if (has_rl(sweep.run)) return columns_of_steps(answer);
  std::vector<SweepColumn> columns;
  if (answer == SweepAnswer::search) columns = search_columns();
  for (const Metric& m : metrics()) {
    if (answer == SweepAnswer::memory && !is_of_memory(m)) continue;
    columns.push_back(named_column(column_of(m)));
    columns.back().metric = &m;
  }
  if (answer == SweepAnswer::memory) return columns;
  columns.push_back(other_column("interval_80.low_s", low_of));
  columns.push_back(other_column("interval_80.high_s", high_of));
  return columns;
}

std::vector<SweepColumn> chosen_columns(const SweepPlan& sweep, const std::string& file) {
  const std::vector<SweepColumn> all = all_columns(sweep);
  if (sweep.columns.empty()) return all;
  std::vector<SweepColumn> chosen;
  for (const std::string& c : sweep.columns) {
    const auto at = std::find_if(all.begin(), all.end(), [&c](const SweepColumn& known) {
      return known.name == c || (known.metric != nullptr && known.metric->key == c);
    });
    if (at == all.end()) {
      std::vector<std::string> names;
      for (const SweepColumn& known : all) names.push_back(known.name);
      throw InputError(file, "columns", "\"" + c + "\"",
                       "columns of this answer (`orrery list metrics`)", nearest_name(c, names));
    }
    chosen.push_back(*at);
  }
  return chosen;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return csv_escaped(bare_text(value));
}

std::string key_text(const std::string& name) {
  std::string text;
  append_json(name, text);
  return text + ":";
}

// The cells of a row as they come, without a document of them.
class RowText {
 public:
  explicit RowText(bool csv) : csv_(csv) { text_.reserve(kTypicalLength); }

  // `key` as key_text() has it.
  void add(std::string_view key, const Json& value) {
    check_finite(value);
    text_ += text_.empty() ? (csv_ ? "" : "{") : ",";
    if (!csv_) text_ += key;
    if (csv_ && !value.is_number_float()) {
      text_ += csv_cell(value);
    } else {
      append_json(value, text_);
    }
  }

  std::string line() const { return row_line(csv_ ? text_ : text_ + "}", csv_); }

 private:
  static constexpr std::size_t kTypicalLength = 4096;  // of all columns

  bool csv_;
  std::string text_;
};

}  // namespace

SweepRows::SweepRows(const SweepPlan& sweep, const std::string& file, std::string id,
                     RowFormat format)
    : sweep_(sweep),
      id_(std::move(id)),
      format_(format),
      calibrated_(is_calibrated(sweep)),
      columns_(chosen_columns(sweep, file)) {
  for (const std::string& path : paths_of(sweep)) keys_.push_back(key_text(path));
}

SweepRows::~SweepRows() = default;

std::string SweepRows::header() const {
  if (format_ == RowFormat::json) return "";
  std::string text = "sweep,points,point";
  for (const std::string& path : paths_of(sweep_)) text += "," + csv_cell(path);
  text += ",status,reason";
  if (calibrated_) text += ",calibration";
  for (const SweepColumn& c : columns_) text += "," + c.name;
  return text + "," + kChecksum + "\n";
}

void SweepRows::each_cell(std::int64_t point, const Json& run, const std::string& file,
                          const ConfigLookup& lookup, Workspace& workspace,
                          const AddCell& add) const {
  const PointAnswer answer = point_answer(sweep_.answer, run, file, lookup, workspace);
  add("sweep", "\"sweep\":", id_);
  add("points", "\"points\":", sweep_.points);
  add("point", "\"point\":", point);
  const std::vector<SweepSetting> settings = settings_of(sweep_, point);
  for (std::size_t i = 0; i < settings.size(); ++i)
    add(settings[i].path, keys_[i], settings[i].value);
  add("status", "\"status\":", answer.status);
  add("reason", "\"reason\":", answer.reason);
  if (calibrated_) add("calibration", "\"calibration\":", calibrations_text(run, file, lookup));
  for (const SweepColumn& c : columns_) add(c.name, c.key, c.cell(answer));
}

std::string SweepRows::row(std::int64_t point, const Json& run, const std::string& file,
                           const ConfigLookup& lookup, Workspace& workspace) const {
  RowText text(format_ == RowFormat::csv);
  each_cell(point, run, file, lookup, workspace,
            [&text](std::string_view /*name*/, std::string_view key, const Json& value) {
              text.add(key, value);
            });
  return text.line();
}

Json SweepRows::values(std::int64_t point, const Json& run, const std::string& file,
                       const ConfigLookup& lookup, Workspace& workspace) const {
  Json row = Json::object();
  each_cell(point, run, file, lookup, workspace,
            [&row](std::string_view name, std::string_view /*key*/, const Json& value) {
              row[std::string(name)] = value;
            });
  return row;
}

}  // namespace orrery
