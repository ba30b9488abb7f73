// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calibrate/bench.h"
#include "calibrate/check.h"
#include "calibrate/overlay.h"
#include "core/error.h"
#include "document/table.h"
#include "document/text.h"
#include "engine/commands/calibrate.h"
#include "engine/usage_error.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

constexpr const char* kFlag = "--calibration";

// The overlay's own device, and its node where it has one.
Machine calibrated_machine(const CalibrateChoice& a, const std::vector<MeasurementSet>& sets,
                           const ConfigSource& configs, Calibration& c) {
  const HardwareLookup lookup = config_lookup(configs).hardware;
  const Json named = a.calibration;
  const Reader given(named, "orrery calibrate", kFlag);
  Json document;
  c = calibration_at(given, lookup, document);
  CalibrateChoice own = a;
  own.node = c.node;
  own.device = c.node.empty() ? c.device : "";
  Machine m = machine_of(own, sets, configs);
  if (!c.node.empty()) {
    const Json cluster = {
        {"node", c.node}, {"gpus", m.cluster.gpus}, {"calibration", a.calibration}};
    m.cluster = read_cluster(Reader(cluster, "orrery calibrate", kFlag), lookup).cluster;
    return m;
  }
  Json node = {{"device", c.device}};
  apply_calibrations(given, lookup, node);
  const Json device = merged_device(Reader(node["device"], "orrery calibrate", kFlag), lookup);
  m.cluster.device = read_device(Reader(device, "orrery calibrate", kFlag));
  return m;
}

std::string check_text(const Calibration& c, const std::vector<CheckedKind>& kinds) {
  Table t({{""}, {"points", true}, {"bias", true}, {"median", true}, {"bound", true}, {""}});
  for (const CheckedKind& k : kinds) {
    t.add({k.name, std::to_string(k.points), signed_percent(k.bias), percent(k.median),
           k.bound > 0 ? percent(k.bound) : "–",
           k.bound == 0 ? "not fitted on such"
           : k.holds    ? "holds"
                        : "does not hold"});
  }
  return c.name +
         (holds(kinds) ? " still holds" : " does not hold any more: measure and fit anew") +
         "\n\n" + text_of(t.indented(2), {});
}

Json check_json(const Calibration& c, const std::vector<CheckedKind>& kinds) {
  Json j = {{"calibration", c.name}, {"holds", holds(kinds)}, {"kinds", Json::array()}};
  for (const CheckedKind& k : kinds) {
    j["kinds"].push_back({{"name", k.name},
                          {"points", k.points},
                          {"bias", k.bias},
                          {"median", k.median},
                          {"bound", k.bound > 0 ? Json(k.bound) : Json()},
                          {"holds", k.holds}});
  }
  return j;
}

// A tenth of the designed work, of what the device's document has constants for.
MeasurementSet measured_again(const EngineHooks& hooks, const Device& d, const CalibrateChoice& a) {
  if (hooks.device == nullptr) {
    throw InputError("orrery calibrate check", "", "no measurements, and no GPU to measure",
                     "FILE of measurements");
  }
  std::vector<Measurement> work = tenth_of(designed_work(hooks.device->facts()));
  work.erase(std::remove_if(work.begin(), work.end(),
                            [&d](const Measurement& m) { return !not_computed(m, d).empty(); }),
             work.end());
  MeasurementSet set =
      measure(work, *hooks.device, {Seconds(a.time), {hooks.stopped, {}, {}, {}}}).set;
  if (set.points.empty()) {
    throw InputError("orrery calibrate check", "",
                     set.left_out.empty() ? "nothing measured" : set.left_out.front(),
                     "a device that measures; or FILE of measurements");
  }
  return set;
}

// Where no kind is one that the overlay was fitted on, nothing can be said of it.
void check_judged(const std::vector<CheckedKind>& kinds, const Calibration& c) {
  std::vector<std::string> found;
  for (const CheckedKind& k : kinds) {
    if (k.bound > 0) return;
    found.push_back(k.name);
  }
  std::vector<std::string> fitted;
  for (const auto& [kind, quality] : c.fit) fitted.push_back(kind);
  throw InputError("orrery calibrate check", "",
                   "measurements of " + alternatives(found) + " alone",
                   "of what " + c.name + " was fitted on: " + alternatives(fitted));
}

}  // namespace

CommandAnswer answer_calibrate_check(const CalibrateChoice& a, const Look& look,
                                     const CommandContext& context) {
  if (a.calibration.empty() || !a.device.empty() || !a.node.empty()) {
    throw UsageError("orrery calibrate check: give --calibration FILE; it names device and node");
  }
  std::vector<MeasurementSet> sets = sets_of(a);
  Calibration c;
  const Machine m = calibrated_machine(a, sets, context.configs, c);
  if (sets.empty()) sets.push_back(measured_again(context.hooks, m.cluster.device, a));
  CommandAnswer answer;
  answer.warnings = check_sets(sets, m);
  const std::vector<CheckedKind> kinds = check_calibration(c, m.cluster, points_of(sets));
  check_judged(kinds, c);
  answer.text = look.json() ? dump(check_json(c, kinds)) : check_text(c, kinds);
  answer.code = holds(kinds) ? ExitCode::answer : ExitCode::no;
  return answer;
}

}  // namespace orrery
