// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/sweep_sink.h"
#include "core/error.h"
#include "explore/sweep_merge.h"
#include "io/files.h"
#include "io/sqlite_rows.h"

namespace orrery {
namespace {

// Standard input is read whole, since it cannot be read twice.
ShardText shard_named(const std::string& file) {
  constexpr std::size_t kMost = std::size_t{8} << 30;
  if (file == "-") return shard_of("standard input", read_text(file, kMost));
  return {file, [file](std::uint64_t at, std::size_t most) { return read_piece(file, at, most); }};
}

// Rows of a transaction.
constexpr std::size_t kRowsAtOnce = 4096;

void give_database(const SweepMerge& merge, const Session& s) {
  if (!s.to_file() || !merge.header().empty()) {
    throw InputError("--sqlite", "", merge.header().empty() ? "no -o FILE" : "rows in CSV",
                     "-o FILE, and rows in JSON lines");
  }
  SqliteRows base(s.output);
  if (base.has_rows()) throw InputError(s.output, "", "rows", "a new file");
  std::vector<Json> rows;
  const auto flush = [&] {
    base.append(rows);
    rows.clear();
  };
  merge.write([&](const std::string& line) {
    rows.push_back(cells_of_row(line));
    if (rows.size() == kRowsAtOnce) flush();
  });
  flush();
}

}  // namespace

ExitCode run_merge(Json request, const Session& s) {
  std::vector<ShardText> shards;
  for (const Json& file : request["files"]) {
    shards.push_back(shard_named(file["file"].get<std::string>()));
  }
  const SweepMerge merge(std::move(shards));
  if (s.json || s.csv) check_row_format(merge, "orrery merge", s.csv ? "csv" : "json");
  if (request.contains("sqlite")) {
    give_database(merge, s);
  } else {
    write_pieces(s.output, [&merge](const WritePiece& write) { merge.write(write); });
  }
  return ExitCode::answer;
}

void declare_merge(CLI::App& app, Json& request) {
  app.get_option("FILE")->expected(1, 1'000'000)->required();
  add_option(app, request,
             {{OptionKind::flag},
              "--sqlite",
              "",
              "write the rows into the SQLite database that -o names"});
}

}  // namespace orrery
