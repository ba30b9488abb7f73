// SPDX-License-Identifier: Apache-2.0
//
// A sweep as its command has it: its file read, its run found, which points are asked for; and the
// workers that make its rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "engine/given_run.h"
#include "engine/hooks.h"
#include "engine/overrides.h"
#include "explore/sweep.h"
#include "report/sweep_row.h"

namespace orrery {

// A sweep file, or a run and what is varied of it.
struct SweepChoice {
  std::string name;                         // of configs/sweeps; "": the document is given
  std::optional<RequestDocument> document;  // handed in
  std::vector<std::string> vary;            // KEY=VALUES, in place of a file
  GivenRun run;                             // that they vary; of a file a calibration alone
  std::string shard = "0/1";                // "I/N"
  unsigned jobs = 0;
};

struct SweepJob {
  SweepPlan sweep;
  std::string sweep_file;
  std::string run_file;
  ConfigLookup lookup;
  std::string id;  // of everything a row depends on; documents by name are part of the version
  Shard shard;
  std::int64_t mine = 0;  // points of the shard

  std::int64_t point(std::int64_t i) const { return shard.index + i * shard.count; }
};

SweepChoice sweep_choice(Request& request);

// Errors: InputError.
SweepJob read_sweep_job(const SweepChoice& choice, const CommandContext& context);

// The workers of a sweep: the rows of a stretch of its points, in order, and whole up to the first
// that a stop left out. Refers to its arguments.
class SweepCrew {
 public:
  SweepCrew(const SweepJob& job, const SweepRows& rows, const EngineHooks& hooks, unsigned jobs);

  std::vector<std::string> rows(std::int64_t first, std::int64_t count) const;
  // The same as objects.
  std::vector<Json> values(std::int64_t first, std::int64_t count) const;
  bool stopped() const { return hooks_.stopped && hooks_.stopped(); }
  unsigned workers() const { return workers_; }

 private:
  using Row = std::function<void(std::size_t at, std::int64_t point, const Json& run, Workspace&)>;
  void each(std::int64_t first, std::int64_t count, const Row& make) const;

  const SweepJob& job_;
  const SweepRows& rows_;
  const EngineHooks& hooks_;
  unsigned workers_;
};

}  // namespace orrery
