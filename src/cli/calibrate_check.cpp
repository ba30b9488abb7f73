// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calibrate/check.h"
#include "calibrate/overlay.h"
#include "cli/calibrate.h"
#include "cli/measuring_device.h"
#include "core/error.h"
#include "document/table.h"
#include "document/text.h"
#include "engine/usage_error.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "io/interrupt.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

constexpr const char* kFlag = "--calibration";

// The overlay's own device, and its node where it has one.
Machine calibrated_machine(const CalibrateArguments& a, const std::vector<MeasurementSet>& sets,
                           const ConfigDirs& dirs, Calibration& c) {
  const HardwareLookup lookup = config_lookup(dirs).hardware;
  const Json named = a.calibration;
  const Reader given(named, "orrery calibrate", kFlag);
  Json document;
  c = calibration_at(given, lookup, document);
  CalibrateArguments own = a;
  own.node = c.node;
  own.device = c.node.empty() ? c.device : "";
  Machine m = machine_of(own, sets, dirs);
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
MeasurementSet measured_again(MeasuringDevice& device, const Device& d,
                              const CalibrateArguments& a) {
  std::vector<Measurement> work = tenth_of(designed_work(device.facts()));
  work.erase(std::remove_if(work.begin(), work.end(),
                            [&d](const Measurement& m) { return !not_computed(m, d).empty(); }),
             work.end());
  watch_interrupt();
  MeasurementSet set = measure(work, device, {Seconds(a.time), {is_interrupted, {}, {}, {}}}).set;
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

ExitCode run_calibrate_check(const CalibrateArguments& a, const Session& s) {
  if (a.calibration.empty() || !a.device.empty() || !a.node.empty()) {
    throw UsageError("orrery calibrate check: give --calibration FILE; it names device and node");
  }
  std::vector<MeasurementSet> sets = sets_of(a);
  Calibration c;
  const Machine m = calibrated_machine(a, sets, dirs_of(s), c);
  if (sets.empty()) {
    std::string why_not;
    const auto device = open_measuring_device(why_not);
    if (!device) return no_device(why_not, s);
    sets.push_back(measured_again(*device, m.cluster.device, a));
  }
  check_sets(sets, m);
  const std::vector<CheckedKind> kinds = check_calibration(c, m.cluster, points_of(sets));
  check_judged(kinds, c);
  give(s, s.json ? dump(check_json(c, kinds)) : check_text(c, kinds));
  return holds(kinds) ? ExitCode::answer : ExitCode::no;
}

}  // namespace orrery
