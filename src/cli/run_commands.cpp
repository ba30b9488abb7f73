// SPDX-License-Identifier: Apache-2.0
//
// Commands of which the engine does nearly all.
#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"

namespace orrery {

void declare_explain(CLI::App& app, Json& request) {
  declare_html(app, request, "answer as an HTML page whose parts fold; give -o FILE");
}

// RUN METRIC, or METRIC alone where flags say the run.
ExitCode run_explain(Json request, const Session& s) {
  const std::string first = request.value("run", "");
  request.erase("run");
  if (!request.contains("metric") && has_run_flags(request)) {
    request["metric"] = first;
  } else if (!first.empty()) {
    request["run"] = named_or_input(first);
  }
  take_html(request, s);
  return ask("explain", std::move(request), s);
}

ExitCode run_show(Json request, const Session& s) {
  if (request.value("kind", "") == "run" && request.value("name", "") == "-") {
    request["run"] = named_or_input("-");
    request.erase("name");
  }
  return ask("show", std::move(request), s);
}

void declare_import(CLI::App& app, Json& /*request*/) {
  app.get_option("FILE")->expected(1, 64)->required();
}

}  // namespace orrery
