// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_source.h"
#include "core/error.h"
#include "report/compare_text.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

constexpr std::size_t kMostRuns = 8;

struct CompareArguments {
  std::vector<std::string> runs;
  RunArguments changes;  // --set and flags, over every run
};

ExitCode run_compare(const CompareArguments& arguments, const Session& s) {
  if (arguments.runs.size() < 2 || arguments.runs.size() > kMostRuns) {
    throw InputError("orrery compare", "", std::to_string(arguments.runs.size()) + " runs",
                     "two to eight runs");
  }
  std::vector<NamedRun> runs;
  bool feasible = true;
  for (const std::string& name : arguments.runs) {
    RunArguments one = arguments.changes;
    one.run = name;
    runs.push_back({name, report_on(resolved_run(one, s))});
    feasible = feasible && is_feasible(runs.back().report);
  }
  const Comparison c = compare(std::move(runs), config_lookup(dirs_of(s)));
  give(s, s.json  ? dump(comparison_json(c))
          : s.csv ? comparison_csv(c)
                  : comparison_text(c, style_of(s)));
  return feasible ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  app.add_option("RUN", arguments->runs, "run files: names or paths")->expected(1, 64);
  add_run_flags(app, arguments->changes);
  return [arguments](const Session& s) { return run_compare(*arguments, s); };
}

}  // namespace orrery
