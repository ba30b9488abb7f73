// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "explore/sweep_rows.h"
#include "io/files.h"
#include "io/sqlite_rows.h"

namespace orrery {
namespace {

struct MergeArguments {
  std::vector<std::string> names;
  bool sqlite = false;
};

void give_database(const std::string& lines, const Session& s) {
  if (s.output.empty() || s.output == "-" || lines[0] != '{') {
    throw InputError("--sqlite", "", lines[0] == '{' ? "no -o FILE" : "rows in CSV",
                     "-o FILE, and rows in JSON lines");
  }
  std::vector<Json> rows;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    rows.push_back(
        parse_json(lines.substr(at, end - at), "row " + std::to_string(rows.size() + 1)));
    at = end + 1;
  }
  SqliteRows base(s.output);
  if (!base.heads({"point"}).empty()) throw InputError(s.output, "", "rows", "a new file");
  base.append(rows);
}

ExitCode run_merge(const MergeArguments& arguments, const Session& s) {
  std::vector<NamedSweepLines> files;
  for (const std::string& name : arguments.names) {
    const std::string text = read_text(name);
    files.push_back({name, read_sweep_rows(text, name)});
    if (files.back().rows.whole == text.size()) continue;
    throw InputError(name, "line " + std::to_string(files.back().rows.lines.size() + 1),
                     "a row that was cut off",
                     "whole rows; run its shard again, it goes on where it stopped");
  }
  const std::string lines = merge_rows(files);
  if (arguments.sqlite) {
    give_database(lines, s);
  } else {
    give(s, lines);
  }
  return ExitCode::answer;
}

}  // namespace

Action declare_merge(CLI::App& app) {
  auto arguments = std::make_shared<MergeArguments>();
  app.add_option("FILE", arguments->names, "shards of one sweep")
      ->required()
      ->expected(1, 1'000'000);
  app.add_flag("--sqlite", arguments->sqlite, "into the database that -o names");
  return [arguments](const Session& s) { return run_merge(*arguments, s); };
}

}  // namespace orrery
