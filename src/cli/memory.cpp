// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

ExitCode run_memory(const RunArguments& arguments, const Session& s) {
  const RunReport r = report_on(resolved_run(arguments, s));
  if (s.json) {
    give(s, dump(memory_json(r)));
  } else {
    give(s, memory_document(r));
  }
  return is_feasible(r) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_memory(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app, *arguments);
  return [arguments](const Session& s) { return run_memory(*arguments, s); };
}

}  // namespace orrery
