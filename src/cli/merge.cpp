// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "explore/sweep_rows.h"
#include "io/files.h"

namespace orrery {
namespace {

ExitCode run_merge(const std::vector<std::string>& names, const Session& s) {
  std::vector<NamedSweepLines> files;
  for (const std::string& name : names) {
    const std::string text = read_text(name);
    files.push_back({name, read_sweep_rows(text, name)});
    if (files.back().rows.whole == text.size()) continue;
    throw InputError(name, "line " + std::to_string(files.back().rows.lines.size() + 1),
                     "a row that was cut off",
                     "whole rows; run its shard again, it goes on where it stopped");
  }
  give(s, merge_rows(files));
  return ExitCode::answer;
}

}  // namespace

Action declare_merge(CLI::App& app) {
  auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("FILE", *names, "shards of one sweep")->required()->expected(1, 1'000'000);
  return [names](const Session& s) { return run_merge(*names, s); };
}

}  // namespace orrery
