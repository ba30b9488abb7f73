// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "report/estimate_json.h"
#include "report/estimate_text.h"

namespace orrery {
namespace {

ExitCode run_estimate(const RunArguments& arguments, const Session& s) {
  const RunReport r = report_on(resolved_run(arguments, s));
  give(s, s.json  ? dump(estimate_json(r))
          : s.csv ? estimate_csv(r)
                  : estimate_text(r, style_of(s)));
  return is_feasible(r) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_estimate(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app, *arguments);
  return [arguments](const Session& s) { return run_estimate(*arguments, s); };
}

}  // namespace orrery
