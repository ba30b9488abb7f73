// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/units.h"
#include "document/rows.h"
#include "document/table.h"
#include "document/text.h"
#include "orrery/version.h"
#include "report/calibration_report.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

std::string error_cell(double e) { return percent(e); }

std::string saturating_cell(const FitErrors& e) { return e.p90 > 0 ? error_cell(e.median) : "–"; }

void add_row(Table& t, const KindOfFit& k) {
  t.add({k.name, std::to_string(k.points), error_cell(k.before.median), error_cell(k.fitted.median),
         error_cell(k.held_out.median), error_cell(k.held_out.p90), saturating_cell(k.saturating)});
}

std::string errors_table(const MeasurementFit& fit) {
  Table t({{""},
           {"points", true},
           {"documents", true},
           {"fitted", true},
           {"held out", true},
           {"p90", true},
           {"plain curve", true}});
  for (const KindOfFit& k : fit.kinds) add_row(t, k);
  if (fit.curves.size() > fit.kinds.size()) {
    for (KindOfFit k : fit.curves) {
      k.name = "  " + k.name;
      add_row(t, k);
    }
  }
  add_row(t, fit.all);
  return text_of(t.indented(2), {});
}

std::string number_cell(double x, Dimension unit) {
  if (unit != kNone) return pretty_text(x, unit);
  constexpr double kDigits = 1e4;
  return plain_number(std::round(x * kDigits) / kDigits);
}

std::string remark(const FittedKnob& k) {
  if (!k.pinned) return "not pinned by these measurements: stays";
  return k.at_bound ? "at its bound" : "";
}

std::string constants_table(const MeasurementFit& fit) {
  Table t({{"constant"}, {"documents", true}, {"fitted", true}, {"±", true}, {""}});
  for (const FittedKnob& k : fit.knobs) {
    for (const KnobPath& p : k.knob.paths) {
      t.add({p.path, number_cell(p.get(fit.before), p.unit),
             k.pinned ? number_cell(p.get(fit.after), p.unit) : "–",
             k.pinned ? percent(k.spread) : "", remark(k)});
    }
  }
  if (fit.tile_moved) {
    const DeviceEfficiency& e = fit.before.device.efficiency;
    t.add({"device.efficiency.tile", std::to_string(e.tile_m) + " × " + std::to_string(e.tile_n),
           std::to_string(fit.tile.m) + " × " + std::to_string(fit.tile.n), "", ""});
  }
  return text_of(t.indented(2), {});
}

Json errors_json(const FitErrors& e) { return {{"median", e.median}, {"p90", e.p90}}; }

Json kind_json(const KindOfFit& k) {
  Json j = {{"name", k.name},
            {"points", k.points},
            {"documents", errors_json(k.before)},
            {"fitted", errors_json(k.fitted)},
            {"held_out", errors_json(k.held_out)}};
  j["saturating"] = k.saturating.p90 > 0 ? errors_json(k.saturating) : Json();
  return j;
}

Json knob_json(const FittedKnob& k, const MeasurementFit& fit) {
  Json values = Json::array();
  for (const KnobPath& p : k.knob.paths) {
    values.push_back(
        {{"path", p.path}, {"documents", p.get(fit.before)}, {"fitted", p.get(fit.after)}});
  }
  return {{"values", values}, {"spread", k.spread}, {"pinned", k.pinned}, {"at_bound", k.at_bound}};
}

Json point_json(const Measurement& m, const FittedPoint& p) {
  Json j = {{"kind", std::string(kind_of(m))}, {"curve", curve_of(m)}};
  j[counts_bytes(m) ? "bytes" : "flops"] = amount_of(m);
  j["measured_s"] = m.timed.time.si();
  j["documents_s"] = p.before.si();
  j["fitted_s"] = p.fitted.si();
  j["held_out_s"] = p.held_out.si() > 0 ? Json(p.held_out.si()) : Json();
  j["saturating_s"] = p.saturating.si() > 0 ? Json(p.saturating.si()) : Json();
  return j;
}

std::string file_lines(const std::vector<MeasurementSet>& sets) {
  std::string text;
  for (const MeasurementSet& s : sets) {
    std::string line = s.file + ": " + std::to_string(s.points.size()) + " measurements";
    if (!s.source.empty()) line += ", " + s.source;
    text += "  " + wrapped(line, 4, 2) + "\n";
    for (const std::string& left_out : s.left_out) {
      text += "    left out: " + left_out + "\n";
    }
  }
  return text;
}

}  // namespace

std::string calibration_text(const CalibrationReport& r, const Style& style) {
  const std::string device(r.fit.before.device.name.view());
  return ink(style, Ink::bold, r.overlay["name"].get<std::string>()) + ": constants of " + device +
         " on " + std::to_string(r.points.size()) + " measurements, " +
         r.overlay["rests_on"].get<std::string>() + "\n" + file_lines(r.sets) +
         "\nMedian of |predicted/measured − 1|; held out: each point by a fit without it\n" +
         errors_table(r.fit) + "\n" + constants_table(r.fit);
}

Json calibration_json(const CalibrationReport& r) {
  Json j;
  j["all"] = kind_json(r.fit.all);
  for (const char* key : {"kinds", "curves", "constants", "points"}) j[key] = Json::array();
  for (const KindOfFit& k : r.fit.kinds) j["kinds"].push_back(kind_json(k));
  for (const KindOfFit& k : r.fit.curves) j["curves"].push_back(kind_json(k));
  for (const FittedKnob& k : r.fit.knobs) j["constants"].push_back(knob_json(k, r.fit));
  j["tile"] = {r.fit.tile.m, r.fit.tile.n};
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    j["points"].push_back(point_json(r.points[i], r.fit.points[i]));
  }
  j["overlay"] = r.overlay;
  j["schema_version"] = kSchemaVersion;
  j["tool_version"] = kVersion;
  return j;
}

std::string calibration_csv(const CalibrationReport& r) {
  Table t({{"kind"},
           {"curve"},
           {"amount"},
           {"measured_s"},
           {"documents_s"},
           {"fitted_s"},
           {"held_out_s"},
           {"saturating_s"}});
  const auto cell = [](Seconds s) { return s.si() > 0 ? shortest(s.si()) : std::string(); };
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const Measurement& m = r.points[i];
    const FittedPoint& p = r.fit.points[i];
    t.add({std::string(kind_of(m)), curve_of(m), shortest(amount_of(m)), cell(m.timed.time),
           cell(p.before), cell(p.fitted), cell(p.held_out), cell(p.saturating)});
  }
  return csv_of(t);
}

}  // namespace orrery
