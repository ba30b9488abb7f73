// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/calibrate.h"

#include "calibrate/overlay.h"
#include "core/error.h"
#include "document/html.h"
#include "engine/commands/commands.h"
#include "engine/usage_error.h"
#include "report/calibration.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

constexpr double kMostSeconds = 86400;

struct Pages {
  std::string html;
  std::string output;  // the overlay
};

std::string text_of(const CalibrationReport& r, const Look& look) {
  return look.json() ? dump(calibration_json(r)) : drawn(calibration_document(r), look);
}

CommandAnswer answer_fit(const CalibrateChoice& a, const Pages& pages, const Look& look,
                         const CommandContext& context) {
  if (a.files.empty()) throw UsageError("orrery calibrate fit: no file of measurements");
  if (a.device.empty() == a.node.empty()) {
    throw UsageError("orrery calibrate fit: give one of --device NAME and --node NAME");
  }
  CalibrationReport r;
  r.sets = sets_of(a);
  r.points = points_of(r.sets);
  const Machine m = machine_of(a, r.sets, context.configs);
  CommandAnswer answer;
  answer.warnings = check_sets(r.sets, m);
  r.fit = fit_measurements(r.points, m.cluster);
  const std::string name = a.name.empty() ? m.device + "-calibrated" : a.name;
  r.overlay = overlay_json(r.fit, r.sets, {name, m.device, m.node});
  if (r.overlay["changes"].empty()) {
    throw InputError(a.files.front().name, "", "too little to pin any constant",
                     "more measurements, of more sizes");
  }
  if (!pages.html.empty()) answer.files.push_back({pages.html, html_of(calibration_document(r))});
  if (!pages.output.empty()) answer.files.push_back({pages.output, dump(r.overlay)});
  answer.text = text_of(r, look);
  return answer;
}

}  // namespace

CalibrateChoice calibrate_choice(Request& request) {
  CalibrateChoice a;
  a.files = request.files("files");
  a.device = request.text("device");
  a.node = request.text("node");
  a.name = request.text("name");
  a.collective = request.text("collective");
  a.dtype = request.text("dtype");
  a.calibration = request.text("calibration");
  a.time = request.number("time", a.time, 1, kMostSeconds);
  return a;
}

CommandAnswer answer_calibrate(Request& request, const CommandContext& context) {
  const std::string action = request.text("action");
  const CalibrateChoice choice = calibrate_choice(request);
  const Pages pages{request.text("html"), request.text("output")};
  const Look look = request.look();
  request.done();
  if (action == "fit") return answer_fit(choice, pages, look, context);
  if (action == "check") return answer_calibrate_check(choice, look, context);
  const std::vector<std::string> verbs = calibrate_verbs();
  throw InputError("orrery calibrate", "", action.empty() ? "nothing to do" : "\"" + action + "\"",
                   alternatives(verbs), nearest_name(action, verbs));
}

std::vector<std::string> calibrate_verbs() { return {"fit", "check", "measure"}; }

}  // namespace orrery
