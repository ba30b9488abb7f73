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
#include "io/gzip.h"
#include "io/interrupt.h"

namespace orrery {
namespace {

// Measurements may be packed; the engine reads text.
void unpack(Json& request) {
  if (!request.contains("files")) return;
  for (Json& file : request["files"]) {
    file["text"] = gunzip(file["text"].get<std::string>(), file["file"].get<std::string>());
  }
}

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
  unpack(request);
  const std::string action = request.value("action", "");
  if (action == "measure") return run_measure(request, s);
  if (action == "check") return run_check(request, s);
  return run_fit(request, s);
}

void declare_calibrate(CLI::App& app, Json& request) {
  add_word(app, request, "ACTION", "action", alternatives(calibrate_verbs()));
  add_files(app, request, "FILE", "files", "measurements; docs/calibrate.md lists the tools")
      ->expected(0, 1000);
  add_flag_of(app, request, "--device", "device they were measured on: name or path");
  add_flag_of(app, request, "--node", "node they were measured on; needed for collectives");
  add_flag_of(app, request, "--name", "name of the overlay (the name of its file)")
      ->type_name("NAME");
  add_flag_of(app, request, "--html", "write a page with pictures to FILE")->type_name("FILE");
  add_flag_of(app, request, "--collective",
              "collective of an nccl-tests output that does not name it");
  add_flag_of(app, request, "--dtype",
              "element type of the matrix products in a PyTorch profiler's table");
  add_flag_of(app, request, "--calibration", "check: the overlay to check")->type_name("FILE");
  add_flag_of<double>(app, request, "--time", "measure: seconds it may take (120)")
      ->type_name("SECONDS");
}

}  // namespace orrery
