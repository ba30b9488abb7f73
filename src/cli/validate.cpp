// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/usage_error.h"
#include "io/files.h"
#include "report/estimate_json.h"
#include "validate/report.h"
#include "validate/tolerance.h"

namespace orrery {
namespace {

struct ValidateArguments {
  std::vector<std::string> files;
  std::string tolerance;
  bool markdown = false;
};

std::vector<Row> rows_of(const std::vector<std::string>& given, const ConfigDirs& dirs) {
  const std::vector<std::string> files = given.empty() ? validation_files(dirs) : given;
  if (files.empty()) throw UsageError("no published runs beside the configurations: give files");
  std::vector<Row> rows;
  for (const std::string& file : files) {
    for (Row& row : read_rows(read_text(file), file)) rows.push_back(std::move(row));
  }
  return rows;
}

std::string text_of(const ValidationReport& report, bool markdown, const Session& s) {
  if (markdown) return validation_markdown(report);
  if (s.json) return dump(validation_json(report));
  return s.csv ? validation_csv(report) : validation_text(report);
}

ExitCode run_validate(const ValidateArguments& arguments, const Session& s) {
  if (arguments.markdown && (s.json || s.csv)) {
    throw UsageError("--markdown: give it without --json and --csv");
  }
  const ConfigDirs dirs = dirs_of(s);
  const ValidationReport report = validate(rows_of(arguments.files, dirs), config_lookup(dirs));
  // A tolerance that is wrong is said before a long answer, not after it.
  const std::vector<std::string> broken =
      arguments.tolerance.empty()
          ? std::vector<std::string>()
          : broken_tolerances(read_text(arguments.tolerance), arguments.tolerance, report);
  give(s, text_of(report, arguments.markdown, s));
  for (const std::string& line : broken) std::fprintf(stderr, "%s\n", line.c_str());
  return broken.empty() ? ExitCode::answer : ExitCode::out_of_tolerance;
}

}  // namespace

Action declare_validate(CLI::App& app) {
  auto arguments = std::make_shared<ValidateArguments>();
  app.add_option("files", arguments->files, "validation files; without: the published runs shipped")
      ->type_name("FILE");
  app.add_option("--tolerance", arguments->tolerance,
                 "bounds to keep: [{\"scope\": \"tier A\", \"median\": 0.1}]; exit code 4 if not")
      ->type_name("FILE");
  app.add_flag("--markdown", arguments->markdown, "the page docs/validation.md");
  return [arguments](const Session& s) { return run_validate(*arguments, s); };
}

}  // namespace orrery
