// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "engine/answer.h"

namespace orrery {

void declare_capacity(CLI::App& app, Json& request) {
  add_option(
      app, request,
      {{OptionKind::flag}, "--html", "", "answer as an HTML page with charts; give -o FILE"});
}

ExitCode run_capacity(Json request, const Session& s) {
  if (request.erase("html") > 0) {
    if (s.json || s.csv) throw UsageError("--html: give it without --json and --csv");
    request["format"] = "html";
  }
  return ask("capacity", std::move(request), s);
}

}  // namespace orrery
