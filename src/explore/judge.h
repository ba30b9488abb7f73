// SPDX-License-Identifier: Apache-2.0
//
// The judge of a unit's candidates: which of them break a rule, fit, hold the constraints and may
// be in the answer. It counts those that do not and hands the others to the queue of estimates.
//
// Whole groups of shardings come first, all, then those with the same shards of weights, then of
// gradients; a sharding is judged alone only where its groups do not decide. Invariant: every
// candidate of a shape is counted once, or in the queue, when judge() returns; with `best_alone`
// those that cannot be the best are not counted.
#pragma once

#include <optional>
#include <vector>

#include "estimate/links.h"
#include "explore/bounds.h"
#include "explore/estimate_queue.h"
#include "explore/sharding_groups.h"
#include "explore/unit_tally.h"

namespace orrery {

class Judge {
 public:
  Judge(const SearchInputs& in, PricedRuns& runs, EstimateQueue& queue, SearchTally& tally);

  // After runs.start(unit).
  void start(const Unit& unit, const std::vector<Sharding>& shardings);
  // A cell of the unit, with all that is offloaded.
  void judge(const SearchCell& shape);
  // After the last cell.
  void finish_unit() { tally_.hand_over(); }

 private:
  bool fits_nowhere(const Point& point);
  void judge_block(CandidateBlock block);
  void judge_root(std::size_t root, CandidateBlock& block);
  bool beats_all(const ShardingGroup& group, const CandidateBlock& block);
  void judge_group(std::size_t at, FitOfAll known, Candidate& c, CandidateBlock& block);
  void judge_each(const ShardingGroup& group, FitOfAll fit, Candidate& c, CandidateBlock& block);
  void judge_memory(Candidate c, std::size_t i, FitOfAll fit, CandidateBlock& block);
  void judge_fitting(const Candidate& fitting, const ShardingTally& t);
  void shard(std::size_t i, Point& point);
  ShardingTally& sharding_tally(std::size_t i) {
    return tally_.shardings()[groups_.legal[i].number];
  }

  const SearchInputs& in_;
  PricedRuns& runs_;
  EstimateQueue& queue_;
  UnitTally tally_;
  Bounds bounds_;
  ShardingGroups groups_;  // of the unit
  KeptStates states_;
  std::vector<std::size_t> offload_of_states_;  // by offload, the first that is one for states
  std::vector<JudgedStage> stages_;             // of the block that is judged
  std::optional<bool> fits_nowhere_;            // the unit, if that was asked
  Answer known_;                                // of the candidate that is judged
};

}  // namespace orrery
