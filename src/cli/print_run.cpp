// SPDX-License-Identifier: Apache-2.0
#include "cli/print_run.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/error.h"
#include "report/estimate_json.h"
#include "report/foreign_text.h"

namespace orrery {
namespace {

constexpr const char* kRunFile = "run";

std::vector<std::string> printed_names() {
  std::vector<std::string> names = {kRunFile};
  names.insert(names.end(), kNamesOf<ForeignFormat>.begin(), kNamesOf<ForeignFormat>.end());
  return names;
}

std::string check_format(const std::string& word) {
  const std::vector<std::string> names = printed_names();
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  const std::string nearest = nearest_name(word, names);
  return "found \"" + word + "\"; allowed: " + alternatives(names) +
         (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?");
}

}  // namespace

CLI::Option* add_print_option(CLI::App& app, const std::string& flag, std::string& format,
                              const std::string& help) {
  return app.add_option(flag, format, help + ": " + alternatives(printed_names()))
      ->type_name("FORMAT")
      ->check(check_format);
}

void print_run(const std::string& format, const ResolvedRun& resolved, const Json& run,
               const ConfigLookup& lookup, const Session& s) {
  if (format == kRunFile) return give(s, dump(run_file(resolved, run)));
  const ForeignFormat foreign = find_name<ForeignFormat>(format).value();
  const ExportedRun exported = export_run(foreign, resolved, run, lookup);
  give(s, s.json ? dump(exported_json(foreign, exported)) : exported_text(foreign, exported));
  if (s.json || has_comments(foreign)) return;
  for (const NotSaid& n : exported.not_said) spdlog::warn("{}", not_said_line(foreign, n));
}

}  // namespace orrery
