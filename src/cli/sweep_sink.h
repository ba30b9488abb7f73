// SPDX-License-Identifier: Apache-2.0
//
// The destination of a sweep's rows: a file that only grows, a database, or standard output; and
// the row at which an interrupted sweep goes on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/session.h"
#include "engine/sweep_job.h"

namespace orrery {

class SweepSink {
 public:
  virtual ~SweepSink() = default;

  // How many rows are there already, of this sweep and shard, in order. Errors: InputError where
  // they are of others.
  virtual std::int64_t resume(const SweepJob& job) = 0;

  // On disk when it returns, whole or not at all.
  virtual void write(const std::vector<std::string>& rows) = 0;
};

// A row of JSON lines as the cells of a database, with the checksum of these.
Json cells_of_row(const std::string& row);

// `header`: of CSV, else "". `sqlite`: rows are JSON lines, and -o names a database.
std::unique_ptr<SweepSink> sweep_sink(const Session& s, const std::string& header, bool sqlite);

}  // namespace orrery
