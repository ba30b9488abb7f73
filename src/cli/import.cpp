// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/exchange_commands.h"
#include "cli/run_source.h"
#include "core/error.h"
#include "exchange/import_fit.h"
#include "io/files.h"
#include "report/estimate_json.h"
#include "report/foreign_text.h"

namespace orrery {
namespace {

struct ImportArguments {
  std::string file;
  std::string format;
  RunArguments run;
};

std::vector<std::string> foreign_names() {
  return {kNamesOf<ForeignFormat>.begin(), kNamesOf<ForeignFormat>.end()};
}

ForeignFormat format_of(const ImportArguments& arguments, const std::string& text) {
  if (arguments.format.empty()) return guess_format(text);
  const std::vector<std::string> names = foreign_names();
  const auto at = std::find(names.begin(), names.end(), arguments.format);
  if (at != names.end()) return static_cast<ForeignFormat>(at - names.begin());
  throw InputError("--from", "", "\"" + arguments.format + "\"", alternatives(names),
                   nearest_name(arguments.format, names));
}

// The flags alone, as far as there are any.
Json run_of_flags(const RunArguments& flags, const Session& s) {
  Json run = Json::object();
  if (has_changes(flags)) use_run(flags, s, [&](const RunSource& source) { run = source.json; });
  return run;
}

// A whole run must be one that `estimate` takes; what is wrong in it is the file's.
void check(const Json& run, const std::string& file, const Session& s) {
  if (missing_keys(run).empty()) resolve_run(run, file, config_lookup(dirs_of(s)));
}

ExitCode run_import(const ImportArguments& arguments, const Session& s) {
  if (s.csv) throw InputError("orrery import", "", "--csv", "a run file, or --json");
  const std::string file = arguments.file == "-" ? "standard input" : arguments.file;
  const std::string text = read_text(arguments.file);
  const Json flags = run_of_flags(arguments.run, s);
  ImportedRun imported = import_run(format_of(arguments, text), text, file, flags);
  fit_import(imported, flags, config_lookup(dirs_of(s)));
  merge_over(imported.run, flags);
  check(imported.run, file, s);
  give(s, s.json ? dump(imported_json(imported)) : imported_text(imported, file));
  const std::size_t unknown = imported.not_understood.size();
  if (unknown > 0) spdlog::warn("{}: {} not understood, listed in the answer", file, unknown);
  return ExitCode::answer;
}

}  // namespace

Action declare_import(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  app.add_option("FILE", arguments->file, "script, log, JSON or TOML; - for standard input")
      ->required();
  app.add_option("--from", arguments->format,
                 "whose words (by what stands in the file): " + alternatives(foreign_names()))
      ->type_name("FORMAT");
  add_run_flags(app, arguments->run);
  return [arguments](const Session& s) { return run_import(*arguments, s); };
}

}  // namespace orrery
