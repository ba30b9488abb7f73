// SPDX-License-Identifier: Apache-2.0
//
// Model states of stages under every way to shard them that a search tries, so that a candidate
// costs no more than adding its activations to them.
//
// Stages with the same holdings share one table, whatever micro batch, recompute and schedule they
// belong to. Degrees, model, cluster and framework must stay as they are between two start().
// Units: bytes of one rank. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "estimate/workspace.h"

namespace orrery {

struct Run;

// Parts of the workspace and of the table: valid until either is filled anew.
struct JudgedStage {
  std::int64_t stage = 0;
  const StageContents<double>* contents = nullptr;
  std::span<const StageStates<double>> states;  // by sharding
  std::span<const StageStates<double>> least;   // of all of each group of them, line by line
  std::span<const StageStates<double>> most;
};

// Places from `begin` until before `end`.
struct IndexRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

class KeptStates {
 public:
  // `groups`: of shardings. `offloads`: how many there are.
  void start(std::vector<Partition> shardings, std::vector<IndexRange> groups,
             std::size_t offloads);

  // The stages whose memory may be the fullest, under the run's offload, which has the number
  // `offload`. Needs fill_parts(); sets the run's partition to and fro.
  void find(Run& run, Workspace& w, std::size_t offload, std::vector<JudgedStage>& stages);

 private:
  struct Rows {
    std::vector<StageStates<double>> states;
    std::vector<StageStates<double>> least;  // by group
    std::vector<StageStates<double>> most;
  };

  struct Kept {
    StageHoldings holdings;
    std::vector<Rows> rows;  // by offload
  };

  std::vector<Rows>& of(const StageHoldings& holdings);
  void fill(Run& run, const StageContents<double>& contents, Rows& rows) const;

  std::vector<Partition> shardings_;
  std::vector<IndexRange> groups_;
  std::size_t offloads_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace orrery
