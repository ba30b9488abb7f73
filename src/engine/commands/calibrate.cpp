// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/calibrate.h"

#include <algorithm>

#include "calibrate/bench.h"
#include "calibrate/check.h"
#include "calibrate/overlay.h"
#include "core/error.h"
#include "core/unknown_name.h"
#include "document/html.h"
#include "document/table.h"
#include "document/text.h"
#include "engine/answer.h"
#include "engine/commands/calibrate_site.h"
#include "engine/commands/commands.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "report/calibration.h"
#include "report/frame_json.h"

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

AnswerDocument check_document(const Calibration& c, const std::vector<CheckedKind>& kinds) {
  Table t({{""}, {"points", true}, {"bias", true}, {"median", true}, {"bound", true}, {""}}, 2);
  for (const CheckedKind& k : kinds) {
    t.add({k.name, std::to_string(k.points), signed_percent(k.bias), percent(k.median),
           k.bound > 0 ? percent(k.bound) : "–",
           k.bound == 0 ? "not fitted on such"
           : k.holds    ? "holds"
                        : "does not hold"});
  }
  AnswerDocument d = document_of(
      c.name + (holds(kinds) ? " still holds" : " does not hold any more: measure and fit anew"),
      t);
  d.sections.insert(d.sections.begin(), {{}, {Paragraph{d.title}}});
  return d;
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
  MeasurementSet set = measure(work, *hooks.device, {a.time, {hooks.stopped, {}, {}, {}}}).set;
  if (set.points.empty()) {
    throw InputError("orrery calibrate check", "",
                     set.left_out.empty() ? "nothing measured" : set.left_out.front(),
                     "a device that measures; or FILE of measurements");
  }
  return set;
}

// Refuses measurements of kinds that the overlay was not fitted on: they cannot judge it.
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

constexpr auto kMostSeconds = static_cast<std::int64_t>(kDay.si());

// `measure` is the program's, in cli.
std::vector<std::string> verbs() { return {"fit", "site", "check", "measure"}; }

constexpr auto kCalibrateOptions = [] {
  using C = CalibrateChoice;
  return std::array{
      Option{into<&C::action>(verbs), "ACTION", "", ""},
      Option{into<&C::files>(), "FILE", "", "measurements; docs/calibrate.md lists the tools",
             "files"},
      Option{into<&C::device>(), "--device", "", "device they were measured on: name or path", "",
             "", "device"},
      Option{into<&C::node>(), "--node", "", "node they were measured on; needed for collectives",
             "", "", "node"},
      Option{into<&C::name>(), "--name", "NAME", "name of the overlay (the name of its file)"},
      Option{into<&C::html>(), "--html", "FILE", "write a page with pictures to FILE"},
      Option{into<&C::collective>(), "--collective", "",
             "collective of an nccl-tests output that does not name it"},
      Option{into<&C::dtype>(), "--dtype", "",
             "element type of the matrix products in a PyTorch profiler's table"},
      Option{into<&C::calibration>(), "--calibration", "FILE", "check: the overlay to check", "",
             "", "calibration"},
      Option{into<&C::run>(), "--run", "RUN", "site: the run of a log, by name or path"},
      Option{into<&C::time>(1, kMostSeconds), "--time", "SECONDS",
             "measure: seconds it may take (120)"},
  };
}();

AnswerText text_of(const CalibrationReport& r, const OutputForm& output) {
  return output.json() ? AnswerText(calibration_json(r)) : drawn(calibration_document(r), output);
}

[[noreturn]] void refuse_unpinned(const std::string& file, const MeasurementFit& fit) {
  constexpr double kFar = 0.5;  // beyond what constants move
  if (fit.all.fitted.median > kFar) {
    throw InputError(file, "",
                     "times that no value of a constant comes near, " +
                         percent(fit.all.fitted.median, 0) + " off in the median",
                     "times of one device, in microseconds");
  }
  throw InputError(file, "", "too little to pin any constant, or times at odds with each other",
                   "more measurements, of more sizes");
}

CommandAnswer answer_fit(const CalibrateChoice& a, const std::string& overlay,
                         const OutputForm& output, const CommandContext& context) {
  if (a.files.empty())
    throw UsageError("orrery calibrate fit: found no FILE; allowed: files of measurements");
  if (a.device.empty() == a.node.empty()) {
    throw UsageError(std::string("orrery calibrate fit: found ") +
                     (a.device.empty() ? "no --device and no --node" : "both --device and --node") +
                     "; allowed: one of --device NAME and --node NAME");
  }
  CalibrationReport r;
  r.sets = sets_of(a);
  r.points = points_of(r.sets);
  const Machine m = machine_of(a, r.sets, context.configs);
  CommandAnswer answer;
  answer.warnings = check_sets(r.sets, m);
  r.fit = fit_measurements(r.points, m.cluster, [&] { go_on(context.hooks); });
  const std::string name = a.name.empty() ? m.device + "-calibrated" : a.name;
  r.overlay = overlay_json(r.fit, r.sets, {name, m.device, m.node});
  if (r.overlay["changes"].empty()) {
    refuse_unpinned(a.files.front().name, r.fit);
  }
  if (!a.html.empty()) answer.files.push_back({a.html, html_of(calibration_document(r))});
  if (!overlay.empty()) answer.files.push_back({overlay, dump(r.overlay)});
  answer.text = text_of(r, output);
  return answer;
}

}  // namespace

CommandAnswer answer_calibrate_check(const CalibrateChoice& a, const OutputForm& output,
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
  answer.text = output.json() ? AnswerText(versioned(check_json(c, kinds)))
                              : drawn(check_document(c, kinds), output);
  answer.code = holds(kinds) ? ExitCode::answer : ExitCode::no;
  return answer;
}

CalibrateChoice calibrate_choice(Request& request) {
  return read_options<CalibrateChoice>(kCalibrateOptions, request);
}

namespace {

CommandAnswer answer_calibrate(Request& request, const CommandContext& context) {
  const CalibrateChoice choice = calibrate_choice(request);
  const std::string overlay = request.text("output");
  const OutputForm output = request.output();
  request.done();
  if (choice.action == "fit") return answer_fit(choice, overlay, output, context);
  if (choice.action == "site") return answer_calibrate_site(choice, overlay, output, context);
  if (choice.action == "check") return answer_calibrate_check(choice, output, context);
  if (choice.action == "measure") {
    throw InputError("orrery calibrate", "action", "\"measure\"",
                     "fit, site or check; measuring is the program's: `orrery calibrate measure`");
  }
  throw unknown_name("orrery calibrate", "", choice.action, verbs(), "nothing to do");
}

}  // namespace

const CommandRow kCalibrateCommand = {"calibrate", answer_calibrate, kCalibrateOptions};

}  // namespace orrery
