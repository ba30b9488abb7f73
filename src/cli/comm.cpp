// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "report/comm_report.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

ExitCode run_comm(const RunArguments& arguments, const Session& s) {
  const CommReport r = comm_report_on(resolved_run(arguments, s));
  give(s, s.json ? dump(comm_json(r)) : s.csv ? comm_csv(r) : comm_text(r, style_of(s)));
  return is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_comm(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app, *arguments);
  return [arguments](const Session& s) { return run_comm(*arguments, s); };
}

}  // namespace orrery
