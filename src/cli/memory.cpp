// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "report/estimate_json.h"
#include "report/estimate_text.h"
#include "report/memory_text.h"

namespace orrery {
namespace {

ExitCode run_memory(const RunArguments& arguments, const Session& s) {
  const RunReport r = report_on(resolved_run(arguments, s));
  give(s, s.json ? dump(memory_json(r)) : s.csv ? memory_csv(r) : memory_text(r, style_of(s)));
  return is_feasible(r) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_memory(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app, *arguments);
  return [arguments](const Session& s) { return run_memory(*arguments, s); };
}

}  // namespace orrery
