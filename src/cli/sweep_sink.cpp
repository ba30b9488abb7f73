// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_sink.h"

#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "document/words.h"
#include "explore/sweep_rows.h"
#include "io/append.h"
#include "io/files.h"
#include "io/sqlite_rows.h"

namespace orrery {
namespace {

void check(const SweepRowHead& head, std::int64_t i, const std::string& file, const SweepJob& job) {
  const std::string line = "row " + std::to_string(i + 1);
  if (head.sweep != job.id || head.points != job.sweep.points) {
    throw InputError(file, line, "the sweep " + head.sweep + ", this one is " + job.id,
                     "rows of this sweep by this version of orrery, or a new file");
  }
  if (head.point != job.point(i)) {
    throw InputError(file, line, "point " + std::to_string(head.point),
                     "rows of this shard in order, or a new file");
  }
}

// The checksum of a row in a database, whose cells have no text of their own: of the names and
// values of the others. A boolean counts as the 0 or 1 that it is kept as.
std::string checksum_of_cells(const Json& cells) {
  std::string text;
  for (const auto& [name, value] : cells.items()) {
    if (name == kChecksum) continue;
    text += name + "=";
    if (value.is_boolean()) {
      text += value.get<bool>() ? "1" : "0";
    } else if (value.is_number_float()) {
      text += shortest(value.get<double>());
    } else if (!value.is_null()) {
      text += bare_text(value);
    }
    text += '\n';
  }
  return fingerprint(text);
}

class StandardOutput : public SweepSink {
 public:
  explicit StandardOutput(std::string header) : header_(std::move(header)) {}

  std::int64_t resume(const SweepJob& /*job*/) override { return 0; }
  void write(const std::vector<std::string>& rows) override {
    write_text("-", std::exchange(header_, "") + joined(rows, ""));
  }

 private:
  std::string header_;
};

class GrowingFile : public SweepSink {
 public:
  GrowingFile(std::string name, std::string header)
      : name_(std::move(name)), header_(std::move(header)), file_(name_) {}

  std::int64_t resume(const SweepJob& job) override {
    SweepRowReader reader(name_);
    std::int64_t rows = 0;
    std::string row;
    bool is_open = false;
    const std::string end = file_.read_lines([&](const std::string& line) {
      const std::size_t from = row.size();
      row += line;
      if (!ends_row(row, from, name_, is_open)) return;
      if (const auto head = reader.read(row)) check(*head, rows++, name_, job);
      row.clear();
    });
    const std::string rest = row + end;
    reader.refuse_changed();
    const bool is_empty = file_.size() == rest.size();
    if (!is_empty && reader.header() != header_) {
      throw InputError(name_, "line 1", "other columns", "rows of this sweep, or a new file");
    }
    cut_off(rest, is_empty && !header_.empty() ? header_ : start_of(rows, job));
    if (!is_empty) header_.clear();
    return rows;
  }

  void write(const std::vector<std::string>& rows) override {
    file_.append(header_ + joined(rows, ""));
    header_.clear();
  }

 private:
  std::string start_of(std::int64_t row, const SweepJob& job) const {
    return start_of_row({job.id, job.sweep.points, job.point(row)}, !header_.empty());
  }

  // Only the beginning of the next line: a file of something else stays as it is.
  void cut_off(const std::string& rest, const std::string& start) {
    if (!is_cut_off(rest, start)) {
      throw InputError(name_, "end of the file", "no row of this sweep that was cut off",
                       "rows of this sweep, or a new file");
    }
    file_.cut(file_.size() - rest.size());
  }

  std::string name_;
  std::string header_;
  AppendFile file_;
};

class Database : public SweepSink {
 public:
  explicit Database(std::string name) : name_(std::move(name)), rows_(name_) {}

  std::int64_t resume(const SweepJob& job) override {
    return rows_.visit([&](std::int64_t row, const Json& cells) {
      const SweepRowHead head = head_of(cells);
      check(head, row, name_, job);
      const auto written = cells.find(kChecksum);
      if (written != cells.end() && *written == checksum_of_cells(cells)) return;
      throw InputError(name_, "point " + std::to_string(head.point),
                       "a row that is not as it was written", kAllowed);
    });
  }

  void write(const std::vector<std::string>& rows) override {
    std::vector<Json> cells;
    for (const std::string& row : rows) cells.push_back(cells_of_row(row));
    rows_.append(cells);
  }

 private:
  static constexpr const char* kAllowed = "rows of `orrery sweep --sqlite`, whole and unchanged";

  SweepRowHead head_of(const Json& cells) const {
    const auto has = [&](const char* key, auto is) {
      const auto at = cells.find(key);
      return at != cells.end() && is(*at);
    };
    const auto is_text = [](const Json& j) { return j.is_string(); };
    const auto is_whole = [](const Json& j) { return j.is_number_integer(); };
    if (!has("sweep", is_text) || !has("points", is_whole) || !has("point", is_whole)) {
      throw InputError(name_, "rows", "other columns", kAllowed);
    }
    return {cells["sweep"].get<std::string>(), cells["points"].get<std::int64_t>(),
            cells["point"].get<std::int64_t>()};
  }

  std::string name_;
  SqliteRows rows_;
};

}  // namespace

Json cells_of_row(const std::string& row) {
  Json cells = parse_json(row, "a row");
  cells[kChecksum] = checksum_of_cells(cells);
  return cells;
}

std::unique_ptr<SweepSink> sweep_sink(const Session& s, const std::string& header, bool sqlite) {
  const bool to_stdout = !s.to_file();
  if (sqlite && (to_stdout || s.csv || s.json)) {
    throw InputError("--sqlite", "", to_stdout ? "no -o FILE" : "--csv or --json",
                     "-o FILE, and no other form of rows");
  }
  if (sqlite) return std::make_unique<Database>(s.output);
  if (to_stdout) return std::make_unique<StandardOutput>(header);
  return std::make_unique<GrowingFile>(s.output, header);
}

}  // namespace orrery
