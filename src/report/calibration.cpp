// SPDX-License-Identifier: Apache-2.0
#include "report/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/units.h"
#include "document/words.h"
#include "estimate/training.h"
#include "report/fields.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

constexpr std::size_t kColours = 10;

std::string saturating_cell(const FitErrors& e) { return e.p90 > 0 ? percent(e.median) : "–"; }

void add_row(Table& t, const KindOfFit& k) {
  t.add({k.name, std::to_string(k.points), percent(k.before.median), percent(k.fitted.median),
         percent(k.held_out.median), percent(k.held_out.p90), saturating_cell(k.saturating)});
}

Table errors_table(const MeasurementFit& fit) {
  Table t({{""},
           {"points", true},
           {"documents", true},
           {"fitted", true},
           {"held out", true},
           {"p90", true},
           {"plain curve", true}},
          2);
  for (const KindOfFit& k : fit.kinds) add_row(t, k);
  if (fit.curves.size() > fit.kinds.size()) {
    for (KindOfFit k : fit.curves) {
      k.name = "  " + k.name;
      add_row(t, k);
    }
  }
  add_row(t, fit.all);
  return t;
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

Table constants_table(const MeasurementFit& fit) {
  Table t({{"constant"}, {"documents", true}, {"fitted", true}, {"±", true}, {""}}, 2);
  // Two knobs may move one constant: a head's own, and the backward passes of all heads.
  std::set<std::string> reported;
  for (const FittedKnob& k : fit.knobs) {
    for (const KnobPath& p : k.knob.paths) {
      if (k.pinned) reported.insert(p.path);
    }
  }
  for (const FittedKnob& k : fit.knobs) {
    for (const KnobPath& p : k.knob.paths) {
      if (!k.pinned && !reported.insert(p.path).second) continue;
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
  return t;
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
  const auto value_json = [&](const KnobPath& p) -> Json {
    return {{"path", p.path}, {"documents", p.get(fit.before)}, {"fitted", p.get(fit.after)}};
  };
  return {{"values", json_list(k.knob.paths, value_json)},
          {"spread", k.spread},
          {"pinned", k.pinned},
          {"at_bound", k.at_bound}};
}

// A measured point and what the fit makes of it.
struct PointOfFit {
  const Measurement& m;
  const FittedPoint& p;
};

std::vector<PointOfFit> points_of(const CalibrationReport& r) {
  std::vector<PointOfFit> all;
  for (std::size_t i = 0; i < r.points.size(); ++i) all.push_back({r.points[i], r.fit.points[i]});
  return all;
}

// null where it was not fitted.
Cell fitted_cell(Seconds t) { return data_cell(t.si() > 0 ? Value(t.si()) : Value()); }

// "amount" is FLOPs or bytes, which the JSON's key says.
constexpr std::array<RowField<PointOfFit>, 8> kFitFields = {{
    {"kind", "kind", "", [](const PointOfFit& f) { return Cell(std::string(kind_of(f.m))); },
     false},
    {"curve", "curve", "", [](const PointOfFit& f) { return Cell(curve_of(f.m)); }, false},
    {"amount", "amount", "", [](const PointOfFit& f) { return data_cell(amount_of(f.m)); }, false},
    {"measured_s", "measured_s", "",
     [](const PointOfFit& f) { return fitted_cell(f.m.timed.time); }, false},
    {"documents_s", "documents_s", "", [](const PointOfFit& f) { return fitted_cell(f.p.before); },
     false},
    {"fitted_s", "fitted_s", "", [](const PointOfFit& f) { return fitted_cell(f.p.fitted); },
     false},
    {"held_out_s", "held_out_s", "", [](const PointOfFit& f) { return fitted_cell(f.p.held_out); },
     false},
    {"saturating_s", "saturating_s", "",
     [](const PointOfFit& f) { return fitted_cell(f.p.saturating); }, false},
}};

Json fit_json(const PointOfFit& point) {
  Json j;
  for (const auto& f : kFitFields) {
    FieldHead head = f.head();
    if (f.key == std::string_view("amount")) head.key = counts_bytes(point.m) ? "bytes" : "flops";
    add_field(j, head, f.cell(point));
  }
  return j;
}

void add_files(Section& section, const std::vector<MeasurementSet>& sets) {
  for (const MeasurementSet& s : sets) {
    std::string line =
        s.file + ": " + counted(static_cast<std::int64_t>(s.points.size()), "measurement");
    if (!s.source.empty()) line += ", " + s.source;
    section.add(Paragraph{line, 4, 2});
    for (const std::string& left_out : s.left_out) {
      section.add(Paragraph{"left out: " + left_out, 6, 4});
    }
  }
}

using Indices = std::vector<std::size_t>;

std::map<std::string, Indices> by_curve(const CalibrationReport& r) {
  std::map<std::string, Indices> curves;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    curves[curve_of(r.points[i])].push_back(i);
  }
  for (auto& [name, in] : curves) {
    std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
      return amount_of(r.points[a]) < amount_of(r.points[b]);
    });
  }
  return curves;
}

std::string title_of(const Measurement& m, const FittedPoint& p) {
  return curve_of(m) + ": measured " + seconds_text(m.timed.time) + ", fitted " +
         seconds_text(p.fitted) + ", held out " + seconds_text(p.held_out);
}

XyPlot against(const CalibrationReport& r) {
  XyPlot plot{"Measured against fitted (rings: fitted without the point)",
              {"measured, us", true},
              {"fitted, us", true}};
  plot.has_diagonal = true;
  std::size_t colour = 0;
  for (const auto& [name, in] : by_curve(r)) {
    XySeries dots{name, Mark::dots, colour};
    XySeries rings{"", Mark::rings, colour};
    colour = (colour + 1) % kColours;
    for (const std::size_t i : in) {
      const double measured = r.points[i].timed.time.si() / kMicro;
      const FittedPoint& p = r.fit.points[i];
      const std::string title = title_of(r.points[i], p);
      dots.points.push_back({measured, p.fitted.si() / kMicro, title});
      if (p.held_out.si() > 0) {
        rings.points.push_back({measured, p.held_out.si() / kMicro, title});
      }
    }
    plot.series.push_back(std::move(dots));
    plot.series.push_back(std::move(rings));
  }
  return plot;
}

// TFLOP/s over FLOPs, or GB/s over bytes; by default of the time measured.
XySeries rate(const CalibrationReport& r, const Indices& in, XySeries s,
              Seconds FittedPoint::*time = nullptr) {
  for (const std::size_t i : in) {
    const Measurement& m = r.points[i];
    const Seconds t = time == nullptr ? m.timed.time : r.fit.points[i].*time;
    const double unit = counts_bytes(m) ? 1e9 : 1e12;
    if (t.si() <= 0) continue;
    s.points.push_back({amount_of(m), amount_of(m) / t.si() / unit, title_of(m, r.fit.points[i])});
  }
  return s;
}

XyPlot rates_of(const CalibrationReport& r, const std::string& name, const Indices& in) {
  const bool bytes = counts_bytes(r.points[in[0]]);
  XyPlot plot{
      name + ": rate over size", {bytes ? "bytes" : "FLOPs", bytes}, {bytes ? "GB/s" : "TFLOP/s"}};
  plot.series = {rate(r, in, {"measured", Mark::dots, 0}),
                 rate(r, in, {"documents", Mark::dashes, 8}, &FittedPoint::before),
                 rate(r, in, {"fitted", Mark::line, 1}, &FittedPoint::fitted),
                 rate(r, in, {"fitted without the point", Mark::rings, 1}, &FittedPoint::held_out)};
  if (r.fit.points[in[0]].saturating.si() > 0) {
    plot.series.push_back(rate(r, in, {"plain saturating, without the point", Mark::dashes, 3},
                               &FittedPoint::saturating));
  }
  return plot;
}

Section pictures(const CalibrationReport& r) {
  Section s;
  s.add(against(r));
  for (const auto& [name, in] : by_curve(r)) {
    if (in.size() > 1) s.add(rates_of(r, name, in));
  }
  return s;
}

}  // namespace

AnswerDocument calibration_document(const CalibrationReport& r) {
  const std::string name = r.overlay["name"].get<std::string>();
  AnswerDocument d{"Calibration " + name + " of " + r.overlay["device"].get<std::string>()};
  add_files(d.add({bold(name) +
                   (": constants of " + std::string(r.fit.before.device.name.view()) + " on " +
                    counted(static_cast<std::int64_t>(r.points.size()), "measurement") + ", " +
                    r.overlay["rests_on"].get<std::string>())}),
            r.sets);
  d.add({"Median of |predicted/measured − 1|; held out: each point by a fit without it"})
      .add(errors_table(r.fit));
  d.add({}).add(constants_table(r.fit));
  d.add(pictures(r));
  d.rows = field_table(kFitFields, points_of(r));
  return d;
}

Json calibration_json(const CalibrationReport& r) {
  Json j;
  j["all"] = kind_json(r.fit.all);
  j["kinds"] = json_list(r.fit.kinds, kind_json);
  j["curves"] = json_list(r.fit.curves, kind_json);
  j["constants"] = json_list(r.fit.knobs, [&](const FittedKnob& k) { return knob_json(k, r.fit); });
  j["points"] = json_list(points_of(r), fit_json);
  j["tile"] = {r.fit.tile.m, r.fit.tile.n};
  j["overlay"] = r.overlay;
  return versioned(j);
}

}  // namespace orrery
