// SPDX-License-Identifier: Apache-2.0
#include "report/compare_text.h"

#include <cmath>

#include "core/units.h"
#include "document/rows.h"
#include "document/table.h"
#include "document/text.h"
#include "insight/compare.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

std::string number(const Metric& m, double v) {
  if (m.unit == "s") return pretty(Seconds(v), 3);
  if (m.unit == "GiB") return fixed(v, 2) + " GiB";
  if (m.unit.empty()) return percent(v);
  return v >= 1000 ? grouped(v) : fixed(v, 2);
}

std::string change(const Metric& m, double from, double to) {
  const double by = to - from;
  if (by == 0) return "·";
  const std::string sign = by < 0 ? "−" : "+";
  if (m.unit.empty()) return sign + fixed(100 * std::abs(by), 1) + " points";
  if (m.group == MetricGroup::speed && from != 0) {
    return sign + percent(std::abs(by / from), std::abs(by / from) < 0.1 ? 1 : 0);
  }
  return sign + number(m, std::abs(by));
}

std::string terms(const Comparison& c, const std::vector<ChangedTerm>& list,
                  const std::string& title, const Style& style) {
  if (list.empty()) return "";
  std::vector<Column> columns = {{""}};
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    columns.push_back({std::string(1, static_cast<char>('A' + i)), true});
    if (i > 0) columns.push_back({"change", true});
  }
  Table table(columns);
  for (const ChangedTerm& t : list) {
    std::vector<std::string> row = {std::string(t.metric->label)};
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      row.push_back(number(*t.metric, t.values[i]));
      if (i > 0) row.push_back(change(*t.metric, t.values[0], t.values[i]));
    }
    table.add(row);
  }
  return "\n" + ink(style, Ink::bold, title) + "\n" + text_of(table.indented(2), {});
}

std::string value_text(const Json& v) {
  if (v.is_null()) return "nothing";
  return shortened(v.is_string() ? v.get<std::string>() : v.dump(), 24);
}

std::string key_line(const Comparison& c, const ChangedKey& k) {
  const Answer& first = c.runs[0].report.answer;
  const std::string what = k.path + ": " + value_text(k.from) + " → " + value_text(k.to);
  std::string does;
  if (k.possible) {
    const double by = k.step / first.step_time - 1;
    const double gib = (k.peak - first.memory.peak) / kGiB;
    does = by == 0 && gib == 0
               ? "changes no number alone"
               : "step " + std::string(by < 0 ? "−" : "+") + percent(std::abs(by)) + ", peak " +
                     (gib < 0 ? "−" : "+") + fixed(std::abs(gib), 1) + " GiB";
  } else {
    does = "not alone: " + k.why_not;
  }
  return "  " + left(shortened(what, 56), 56) + "  " + shortened(does, kTextWidth - 60) + "\n";
}

std::string keys(const Comparison& c, std::size_t run, const Style& style) {
  std::string text;
  for (const ChangedKey& k : c.keys) {
    if (k.run == run) text += key_line(c, k);
  }
  const std::string title(1, static_cast<char>('A' + run));
  if (text.empty()) return "\n" + title + " has the inputs of A\n";
  return "\n" + ink(style, Ink::bold, "Changed") + " from A to " + title +
         ", and what each does to A alone\n" + text;
}

}  // namespace

std::string comparison_text(const Comparison& c, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    const RunReport& r = c.runs[i].report;
    text += std::string(1, static_cast<char>('A' + i)) + "  " +
            ink(style, Ink::bold, c.runs[i].name) + ": " + r.resolved.model_name + " on " +
            grouped(r.resolved.run.cluster.gpus) + " of " +
            std::string(r.resolved.run.cluster.node.view()) +
            (is_feasible(r) ? "" : ", " + ink(style, Ink::red, "does not fit")) + "\n";
    const std::string calibrated = calibration_line(r.resolved);
    if (!calibrated.empty()) text += "   " + wrapped(calibrated, 5, 3) + "\n";
  }
  text += terms(c, c.numbers, "Answer", style);
  text += terms(c, c.time, "Parts of the step that differ, the largest change first", style);
  text += terms(c, c.memory, "Memory of the fullest stage that differs", style);
  for (std::size_t i = 1; i < c.runs.size(); ++i) text += keys(c, i, style);
  return text;
}

std::string comparison_csv(const Comparison& c) {
  std::vector<Column> columns = {{"key"}, {"unit"}};
  for (const NamedRun& r : c.runs) columns.push_back({r.name});
  Table table(columns);
  for (const auto* list : {&c.numbers, &c.time, &c.memory}) {
    for (const ChangedTerm& t : *list) {
      std::vector<std::string> row = {std::string(t.metric->key), std::string(t.metric->unit)};
      for (const double v : t.values) row.push_back(shortest(v));
      table.add(row);
    }
  }
  return csv_of(table);
}

Json comparison_json(const Comparison& c) {
  Json j;
  j["runs"] = Json::array();
  for (const NamedRun& r : c.runs) {
    Json run = {{"name", r.name}};
    run.update(estimate_json(r.report));
    j["runs"].push_back(run);
  }
  const auto list = [&j](const char* name, const std::vector<ChangedTerm>& terms) {
    j[name] = Json::array();
    for (const ChangedTerm& t : terms) {
      j[name].push_back({{"key", std::string(t.metric->key)},
                         {"unit", std::string(t.metric->unit)},
                         {"values", t.values}});
    }
  };
  list("numbers", c.numbers);
  list("time", c.time);
  list("memory", c.memory);
  j["changed"] = Json::array();
  const Answer& first = c.runs[0].report.answer;
  for (const ChangedKey& k : c.keys) {
    Json key = {{"run", k.run}, {"path", k.path}, {"from", k.from}, {"to", k.to}};
    if (k.possible) {
      key["alone"] = {{"step_time_s", k.step.si()},
                      {"change_s", (k.step - first.step_time).si()},
                      {"peak_gib", static_cast<double>(k.peak / kGiB)}};
    } else {
      key["alone"] = nullptr;
      key["reason"] = k.why_not;
    }
    j["changed"].push_back(key);
  }
  j["schema_version"] = kSchemaVersion;
  return j;
}

}  // namespace orrery
