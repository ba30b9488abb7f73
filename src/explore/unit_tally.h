// SPDX-License-Identifier: Apache-2.0
//
// The tally of one unit's candidates while they are judged: by rule and constraint, by sharding, by
// block, and by the families that each belongs to.
//
// Counts of the whole search are added at once. Families get theirs block by block (close()), and
// by sharding when the unit is done (hand_over()): until then they stand in shardings().
#pragma once

#include <span>
#include <vector>

#include "explore/search_inputs.h"
#include "explore/search_tally.h"
#include "explore/sharding_groups.h"

namespace orrery {

// Candidates that differ in their sharding only, and the families that all of them belong to.
struct CandidateBlock {
  Point first;
  std::span<const std::size_t> families;
  std::int64_t legal = 0;
  std::int64_t feasible = 0;
  Candidate nearest;
};

class UnitTally {
 public:
  UnitTally(const SearchInputs& in, SearchTally& all) : in_(in), all_(all) {}

  void start(const Unit& unit, const std::vector<Sharding>& shardings);
  // For every offload: the families that all shardings of this point share.
  void find_families(Point p);
  std::span<const std::size_t> families_of(std::size_t offload) const {
    return of_offloads_[offload];
  }
  std::span<const std::size_t> families_of(const ShardingTally& t) const;

  std::vector<ShardingTally>& shardings() { return shardings_.list(); }
  SearchTally& all() { return all_; }

  // Candidates of a block that break a rule; or so many of each sharding, for families alone.
  void reject(const CandidateBlock& block, RuleId rule, std::int64_t candidates);
  void reject_of_each_sharding(RuleId rule, std::int64_t n) { shardings_.reject(rule, n); }
  // Counts a candidate that breaks this constraint; false where there is none (−1).
  bool refuse(int constraint);
  // Counts the shardings of a group, of which all fit or none does; returns how many they are.
  std::int64_t count(const ShardingGroups& groups, const ShardingGroup& group, bool fit,
                     CandidateBlock& block);
  // True where a candidate of the block and the group that needs no less than `least` may be the
  // nearest to fit.
  bool wants_nearest(Bytes least, const ShardingGroups& groups, const ShardingGroup& group,
                     const CandidateBlock& block) const;

  void close(const CandidateBlock& block);
  void hand_over();

 private:
  const SearchInputs& in_;
  SearchTally& all_;
  const Unit* unit_ = nullptr;
  FamilyIds ids_;
  ShardingTallies shardings_;
  std::vector<std::vector<std::size_t>> of_offloads_;  // families, by offload
};

}  // namespace orrery
