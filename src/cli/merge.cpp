// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"
#include "engine/command_engine.h"
#include "io/sqlite_rows.h"

namespace orrery {
namespace {

constexpr std::size_t kLargestShard = std::size_t{8} << 30;

void give_database(const std::string& lines, const Session& s) {
  if (!s.to_file() || lines[0] != '{') {
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

}  // namespace

ExitCode run_merge(Json request, const Session& s) {
  const bool sqlite = request.erase("sqlite") > 0;
  read_inputs(request, kLargestShard);
  const CommandAnswer answer =
      CommandEngine(configs_of(s), hooks_of(s)).call("merge", request, Asker::flags);
  if (!sqlite || !answer.error.empty()) return give_answer(s, answer);
  give_database(answer.text.str(), s);
  return ExitCode::answer;
}

void declare_merge(CLI::App& app, Json& request) {
  app.add_option_function<std::vector<std::string>>(
         "FILE",
         [&request](const std::vector<std::string>& files) {
           for (const std::string& file : files) request["files"].push_back({{"file", file}});
         },
         "shards of one sweep")
      ->required()
      ->expected(1, 1'000'000);
  add_switch(app, request, "--sqlite", "into the database that -o names");
}

}  // namespace orrery
