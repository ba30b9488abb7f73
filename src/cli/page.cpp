// SPDX-License-Identifier: Apache-2.0
//
// The page of web/ as one file, with a run in it. scripts/page builds it; it lies beside configs/
// where it is installed.
#include <utility>

#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"
#include "core/json.h"
#include "document/escape.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"

namespace orrery {
namespace {

std::string built_page(const ConfigSource& configs) {
  for (const char* place : {"page.html", "build-page/page.html"}) {
    if (const auto page = configs.read(place)) return page->text;
  }
  throw InputError("orrery page", "", "no page in this build",
                   "the page after `scripts/page --no-open`, typed where the sources are, or the "
                   "orrery-page.html of a release");
}

void put_run(std::string& page, const std::string& run) {
  const std::string place = "id=\"run\">";
  const std::size_t at = page.find(place);
  if (at == std::string::npos) {
    throw InputError("page.html", "", "no place for a run", "a page built by scripts/page");
  }
  page.insert(at + place.size(), script_escaped(run));
}

}  // namespace

void declare_page(CLI::App& app, Json& request) { add_option(app, request, {{OptionKind::run}}); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the type of all commands
ExitCode run_page(Json request, const Session& s) {
  const ConfigSource configs = configs_of(s);
  std::string page = built_page(configs);
  if (!request.empty()) {
    read_inputs(request);
    const CommandAnswer answer =
        CommandEngine(configs, hooks_of(s)).call("estimate", request, Asker::flags);
    if (!answer.error.empty()) return give_answer(s, answer);
    // The run as it was resolved, with what was assumed; a browser has no folder to look in.
    put_run(page, answer.text.document()->at("inputs").dump());
  }
  give(s, page);
  return ExitCode::answer;
}

}  // namespace orrery
