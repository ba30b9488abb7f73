// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/calibrate.h"

#include <filesystem>

#include "cli/calibrate_measure.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/measuring_device.h"
#include "core/error.h"
#include "engine/command_engine.h"
#include "io/files.h"
#include "io/interrupt.h"

namespace orrery {
namespace {

// The overlay goes to -o, the report to standard output.
ExitCode run_fit(Json& request, const Session& s) {
  Session report = s;
  report.output.clear();
  if (s.to_file()) {
    request["output"] = s.output;
    if (!request.contains("name")) {
      request["name"] = std::filesystem::path(s.output).stem().string();
    }
  }
  dress(request, report);
  const CommandEngine engine(configs_of(s), hooks_of(s));
  return give_answer(report, engine.call("calibrate", request, Asker::flags));
}

// With measurements, or by measuring again.
ExitCode run_check(Json& request, const Session& s) {
  EngineHooks hooks = hooks_of(s);
  std::unique_ptr<MeasuringDevice> device;
  if (!request.contains("files") && request.contains("calibration")) {
    std::string why_not;
    device = open_measuring_device(why_not);
    if (!device) return no_device(why_not, s);
    watch_interrupt();
    hooks.device = device.get();
  }
  dress(request, s);
  return give_answer(s,
                     CommandEngine(configs_of(s), hooks).call("calibrate", request, Asker::flags));
}

ExitCode run_measure(const Json& request, const Session& s) {
  Request options(request, Asker::flags);
  return run_calibrate_measure(calibrate_choice(options), s);
}

}  // namespace

ExitCode run_calibrate(Json request, const Session& s) {
  read_inputs(request);
  const std::string action = request.value("action", "");
  if (action == "measure") return run_measure(request, s);
  if (action == "check") return run_check(request, s);
  return run_fit(request, s);
}

void declare_calibrate(CLI::App& app, Json& /*request*/) {
  app.get_option("FILE")->expected(0, 1000);
}

}  // namespace orrery
