// SPDX-License-Identifier: Apache-2.0
//
// The join of a sweep's shards, in memory that does not grow with them.
//
// A first reading checks every row, and cuts each shard into stretches whose points rise; the
// stretches are then merged. A shard's own order does not matter, but each break of it costs a
// buffer. Errors: InputError that names the file: a row of another sweep, a doubled one, a missing
// one, one that is not as it was written, a line cut off. They come before anything is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orrery {

// The text of a shard: at most `most` bytes from `at` on, "" at its end.
struct ShardText {
  std::string file;  // for messages
  std::function<std::string(std::uint64_t at, std::size_t most)> read;
};

ShardText shard_of(std::string file, std::string text);

// Rows of one shard from one place to another, their points rising.
struct ShardStretch {
  std::size_t shard = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

class SweepMerge {
 public:
  explicit SweepMerge(std::vector<ShardText> shards);

  const std::string& header() const { return header_; }  // of CSV; "" of JSON lines

  // The header, then every row in the order of points, each with its line break.
  void write(const std::function<void(const std::string& line)>& write) const;

 private:
  using Visit = std::function<void(std::int64_t point, std::size_t shard, const std::string& line)>;

  void scan(std::size_t shard);
  void check_all_are_there() const;
  void walk(const Visit& visit) const;

  std::vector<ShardText> shards_;
  std::vector<ShardStretch> stretches_;
  std::string header_;
  std::string sweep_;  // of the first row
  std::size_t first_shard_ = 0;
  std::int64_t points_ = -1;  // no row yet
  std::int64_t rows_ = 0;
};

// Rows stay as the sweep wrote them. Errors: InputError where `asked` is not their format, "json"
// or "csv".
void check_row_format(const SweepMerge& merge, const std::string& origin, const std::string& asked);

}  // namespace orrery
