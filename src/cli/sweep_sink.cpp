// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_sink.h"

#include <utility>

#include "core/error.h"
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
    return rows_.visit({"sweep", "points", "point"}, [&](std::int64_t row, const Json& h) {
      const bool sound =
          h["sweep"].is_string() && h["points"].is_number() && h["point"].is_number();
      if (!sound) throw InputError(name_, "rows", h.dump(), "rows of `orrery sweep --sqlite`");
      check({h["sweep"].get<std::string>(), h["points"].get<std::int64_t>(),
             h["point"].get<std::int64_t>()},
            row, name_, job);
    });
  }

  void write(const std::vector<std::string>& rows) override {
    std::vector<Json> cells;
    for (const std::string& row : rows) cells.push_back(parse_json(row, name_));
    rows_.append(cells);
  }

 private:
  std::string name_;
  SqliteRows rows_;
};

}  // namespace

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
