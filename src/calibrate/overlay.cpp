// SPDX-License-Identifier: Apache-2.0
#include "calibrate/overlay.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/json.h"
#include "core/units.h"
#include "hardware/calibration.h"

namespace orrery {
namespace {

double rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return std::strtod(text, nullptr);
}

Json value_json(double x, Dimension unit) {
  if (unit == kNone) return rounded(x);
  return exact_text(rounded(x), unit);
}

void put(Json& object, const std::string& path, const Json& value) {
  const std::size_t dot = path.find('.');
  Json& child = object[path.substr(0, dot)];
  if (dot == std::string::npos) {
    child = value;
  } else {
    put(child, path.substr(dot + 1), value);
  }
}

std::string base_name(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

bool all_measured_here(const std::vector<MeasurementSet>& sets) {
  return std::all_of(sets.begin(), sets.end(),
                     [](const MeasurementSet& s) { return s.measured_here; });
}

std::string_view rests_on(const std::vector<MeasurementSet>& sets) {
  const RestsOn r = all_measured_here(sets) ? RestsOn::measured : RestsOn::published;
  return name_of(r);
}

Json point_json(const Measurement& m) {
  Json j = {{"what", curve_of(m)}};
  if (counts_bytes(m)) {
    j["bytes"] = amount_of(m);
  } else {
    j["flops"] = std::max(amount_of(m), 1.0);
  }
  j["us"] = rounded(m.timed.time.si() / kMicro);
  if (m.timed.spread > 0) j["spread"] = rounded(m.timed.spread);
  return j;
}

Json provenance_json(const std::vector<MeasurementSet>& sets) {
  Json j = Json::object();
  const auto first = [&](const char* key, std::string MeasurementSet::*field) {
    for (const MeasurementSet& s : sets) {
      if ((s.*field).empty() || j.contains(key)) continue;
      j[key] = s.*field;
    }
  };
  first("date", &MeasurementSet::date);
  first("hardware", &MeasurementSet::gpu);
  first("driver", &MeasurementSet::driver);
  first("library", &MeasurementSet::library);
  first("clocks", &MeasurementSet::clocks);
  j["files"] = Json::array();
  for (const MeasurementSet& s : sets) {
    Json file = {{"file", base_name(s.file)}, {"points", s.points.size()}};
    if (!s.source.empty()) file["source"] = s.source;
    j["files"].push_back(file);
  }
  return j;
}

std::string source_text(const std::vector<MeasurementSet>& sets) {
  std::string text = "[" + std::string(rests_on(sets)) + "]";
  for (const MeasurementSet& s : sets) {
    const std::string source = s.source.empty() ? base_name(s.file) : s.source;
    if (text.find(source) == std::string::npos) text += (text.back() == ']' ? " " : "; ") + source;
  }
  return text;
}

struct Changes {
  Json values = Json::object();
  Json spread = Json::object();
};

Changes changes_of(const MeasurementFit& fit) {
  Changes c;
  for (const FittedKnob& k : fit.knobs) {
    if (!k.pinned) continue;
    for (const KnobPath& p : k.knob.paths) {
      put(c.values, p.path, value_json(p.get(fit.after), p.unit));
      c.spread[p.path] = rounded(k.spread);
    }
  }
  if (fit.tile_moved) {
    put(c.values, "device.efficiency.tile.m", fit.tile.m);
    put(c.values, "device.efficiency.tile.n", fit.tile.n);
  }
  return c;
}

}  // namespace

std::vector<Measurement> points_of(const std::vector<MeasurementSet>& sets) {
  std::vector<Measurement> points;
  for (const MeasurementSet& s : sets)
    points.insert(points.end(), s.points.begin(), s.points.end());
  return points;
}

Json overlay_json(const MeasurementFit& fit, const std::vector<MeasurementSet>& sets,
                  const OverlayHeading& heading) {
  Json j = {{"name", heading.name}, {"device", heading.device}};
  if (!heading.node.empty()) j["node"] = heading.node;
  j["rests_on"] = std::string(rests_on(sets));
  const Changes changes = changes_of(fit);
  j["changes"] = changes.values;
  j["spread"] = changes.spread;
  for (const KindOfFit& k : fit.kinds) {
    j["fit"][k.name] = {{"points", k.points},
                        {"median", rounded(k.fitted.median)},
                        {"held_out", rounded(k.held_out.median)}};
  }
  j["measured"] = Json::array();
  for (const Measurement& m : points_of(sets)) j["measured"].push_back(point_json(m));
  j["provenance"] = provenance_json(sets);
  j["source"] = source_text(sets);
  return j;
}

}  // namespace orrery
