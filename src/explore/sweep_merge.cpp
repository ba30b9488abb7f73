// SPDX-License-Identifier: Apache-2.0
#include "explore/sweep_merge.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "core/error.h"
#include "explore/sweep_rows.h"

namespace orrery {
namespace {

constexpr std::size_t kLargestBuffer = std::size_t{256} << 10;
constexpr std::size_t kSmallestBuffer = std::size_t{4} << 10;
constexpr std::size_t kAllBuffers = std::size_t{64} << 20;

std::size_t buffer_of(std::size_t stretches) {
  return std::clamp(kAllBuffers / std::max<std::size_t>(1, stretches), kSmallestBuffer,
                    kLargestBuffer);
}

// Rows of a shard with their line breaks.
class RowsOfShard {
 public:
  RowsOfShard(const ShardText& shard, std::uint64_t from, std::uint64_t to, std::size_t buffer)
      : shard_(&shard), at_(from), to_(to), size_(buffer) {}

  // False at the end; what follows the last whole row is left in `row`.
  bool next(std::string& row) {
    row.clear();
    bool is_open = false;
    for (std::size_t from = 0; add_line(row); from = row.size()) {
      if (ends_row(row, from, shard_->file, is_open)) return true;
    }
    return false;
  }

 private:
  // False at the end; what follows the last line break is added all the same.
  bool add_line(std::string& row) {
    for (;;) {
      const std::size_t end = buffer_.find('\n', used_);
      const bool whole = end != std::string::npos;
      row.append(buffer_, used_, whole ? end + 1 - used_ : std::string::npos);
      used_ = whole ? end + 1 : buffer_.size();
      if (row.size() > kLongestRow) {
        throw InputError(shard_->file, "", "a row of more than 16 MiB",
                         "rows of `orrery sweep`, whole and unchanged");
      }
      if (whole || !fill()) return whole;
    }
  }

  bool fill() {
    const auto most = std::min<std::uint64_t>(size_, to_ - at_);
    buffer_ = most == 0 ? "" : shard_->read(at_, static_cast<std::size_t>(most));
    used_ = 0;
    at_ += buffer_.size();
    return !buffer_.empty();
  }

  const ShardText* shard_;
  std::uint64_t at_;
  std::uint64_t to_;
  std::size_t size_;
  std::string buffer_;
  std::size_t used_ = 0;
};

// The next row of a stretch.
struct NextRow {
  RowsOfShard rows;
  SweepRowReader reader;
  std::size_t shard;
  std::string line = {};
  std::int64_t point = 0;

  bool advance() {
    if (!rows.next(line)) return false;
    point = reader.read_head_of(line).point;
    return true;
  }
};

}  // namespace

ShardText shard_of(std::string file, std::string text) {
  const auto kept = std::make_shared<const std::string>(std::move(text));
  return {std::move(file), [kept](std::uint64_t at, std::size_t most) {
            return at < kept->size() ? kept->substr(static_cast<std::size_t>(at), most) : "";
          }};
}

SweepMerge::SweepMerge(std::vector<ShardText> shards) : shards_(std::move(shards)) {
  for (std::size_t i = 0; i < shards_.size(); ++i) scan(i);
  if (points_ < 0) {
    throw InputError(shards_.front().file, "", "no rows",
                     "rows of `orrery sweep`, whole and unchanged");
  }
  check_all_are_there();
}

void SweepMerge::scan(std::size_t shard) {
  const std::string& file = shards_[shard].file;
  RowsOfShard rows(shards_[shard], 0, std::numeric_limits<std::uint64_t>::max(), kLargestBuffer);
  SweepRowReader reader(file);
  std::uint64_t at = 0;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  std::string line;
  for (; rows.next(line); at += line.size()) {
    const std::optional<SweepRowHead> head = reader.read(line);
    if (!head) continue;
    if (points_ < 0) {
      sweep_ = head->sweep;
      points_ = head->points;
      first_shard_ = shard;
    }
    if (head->sweep != sweep_ || head->points != points_) {
      throw InputError(
          file, "point " + std::to_string(head->point),
          "the sweep " + head->sweep + ", in " + shards_[first_shard_].file + " " + sweep_,
          "shards of one sweep, of one version of orrery");
    }
    if (head->point <= before) stretches_.push_back({shard, at, at});
    stretches_.back().to = at + line.size();
    before = head->point;
    ++rows_;
  }
  if (!line.empty()) {
    throw InputError(file, "line " + std::to_string(reader.lines() + 1), "a row that was cut off",
                     "whole rows; run its shard again, it goes on where it stopped");
  }
  reader.refuse_changed();
  if (shard == 0) header_ = reader.header();
  if (reader.header() == header_) return;
  throw InputError(file, "", "other columns than in " + shards_.front().file,
                   "shards of one sweep");
}

void SweepMerge::walk(const Visit& visit) const {
  std::vector<NextRow> next;
  using Place = std::pair<std::int64_t, std::size_t>;  // a point and its stretch
  std::priority_queue<Place, std::vector<Place>, std::greater<>> order;
  for (const ShardStretch& s : stretches_) {
    next.push_back({RowsOfShard(shards_[s.shard], s.from, s.to, buffer_of(stretches_.size())),
                    SweepRowReader(shards_[s.shard].file, !header_.empty()), s.shard});
    if (next.back().advance()) order.push({next.back().point, next.size() - 1});
  }
  while (!order.empty()) {
    NextRow& row = next[order.top().second];
    visit(row.point, row.shard, row.line);
    const std::size_t stretch = order.top().second;
    order.pop();
    if (row.advance()) order.push({row.point, stretch});
  }
}

void SweepMerge::check_all_are_there() const {
  std::int64_t expected = 0;
  std::int64_t missing = -1;  // the first
  std::int64_t before = -1;
  std::size_t shard_before = 0;
  walk([&](std::int64_t point, std::size_t shard, const std::string&) {
    if (point == before) {
      throw InputError(shards_[shard].file, "point " + std::to_string(point),
                       "a row that " + shards_[shard_before].file + " has too", "each point once");
    }
    if (missing < 0 && point != expected) missing = expected;
    expected = point + 1;
    before = point;
    shard_before = shard;
  });
  if (missing < 0 && expected != points_) missing = expected;
  if (missing < 0) return;
  throw InputError(shards_[first_shard_].file, "",
                   std::to_string(rows_) + " of " + std::to_string(points_) +
                       " points, the first that is missing is " + std::to_string(missing),
                   "every point; run the shard that has it again, it goes on where it stopped");
}

void SweepMerge::write(const std::function<void(const std::string& line)>& write) const {
  if (!header_.empty()) write(header_);
  walk([&write](std::int64_t, std::size_t, const std::string& line) { write(line); });
}

void check_row_format(const SweepMerge& merge, const std::string& origin,
                      const std::string& asked) {
  const std::string theirs = merge.header().empty() ? "json" : "csv";
  if (asked == theirs) return;
  throw InputError(origin, "", asked + " of rows in " + theirs,
                   theirs + ", or shards that the sweep wrote in " + asked);
}

}  // namespace orrery
