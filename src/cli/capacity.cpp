// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"

namespace orrery {

void declare_capacity(CLI::App& app, Json& request) {
  declare_html(app, request, "answer as an HTML page with charts; give -o FILE");
}

ExitCode run_capacity(Json request, const Session& s) {
  take_html(request, s);
  return ask("capacity", std::move(request), s);
}

}  // namespace orrery
