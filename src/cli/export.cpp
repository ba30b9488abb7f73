// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/exchange_commands.h"
#include "cli/print_run.h"
#include "cli/run_source.h"
#include "core/error.h"

namespace orrery {
namespace {

struct ExportArguments {
  RunArguments run;
  std::string format = "run";
};

ExitCode run_export(const ExportArguments& arguments, const Session& s) {
  if (s.csv) throw InputError("orrery export", "", "--csv", "text, or --json");
  use_run(arguments.run, s, [&](const RunSource& source) {
    const ResolvedRun resolved = resolve_run(source.json, source.file, source.lookup);
    print_run(arguments.format, resolved, source.json, source.lookup, s);
  });
  return ExitCode::answer;
}

}  // namespace

Action declare_export(CLI::App& app) {
  auto arguments = std::make_shared<ExportArguments>();
  add_run_options(app, arguments->run);
  add_print_option(app, "--as", arguments->format, "in whose words (run)");
  return [arguments](const Session& s) { return run_export(*arguments, s); };
}

}  // namespace orrery
