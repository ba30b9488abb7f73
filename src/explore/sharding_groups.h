// SPDX-License-Identifier: Apache-2.0
//
// Sharding groups: the legal ways to shard the states of one unit, as groups that are judged
// together before any sharding alone: those that synchronise ranks at every micro batch and the
// others; within these, those with the same shards of weights; within these, of gradients.
//
// A plain value. Invariant: `roots` cover `legal` once, the `parts` of a group cover its range
// once, and all shardings of a group synchronise or none does, so that they have one price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "estimate/kept_states.h"
#include "explore/sharding_tally.h"

namespace orrery {

// A sharding that breaks no rule.
struct LegalSharding {
  std::size_t number = 0;  // of the unit's shardings
  Partition partition;
  bool synchronises = false;
};

struct ShardingGroup {
  IndexRange range;                   // of `legal`
  std::vector<std::size_t> parts;     // groups that it consists of; none: each is judged alone
  std::vector<std::size_t> families;  // of its shardings, each once; see collect_families()
};

struct ShardingGroups {
  std::vector<LegalSharding> legal;
  std::vector<std::pair<RuleId, std::int64_t>> illegal;  // how many break each rule
  std::vector<ShardingGroup> groups;
  std::vector<std::size_t> roots;
  std::int64_t most_gradient_shards = 1;  // of legal ones
};

// `shardings`: of one unit of the run's, each with the rule that it breaks.
ShardingGroups group_shardings(const Run& run, const std::vector<ShardingTally>& shardings);

// Fills the families of every group from those of its shardings.
void collect_families(const std::vector<ShardingTally>& shardings, ShardingGroups& groups);

// In the order of `legal` and of `groups`.
std::vector<Partition> partitions_of(const ShardingGroups& groups);
std::vector<IndexRange> ranges_of(const ShardingGroups& groups);

}  // namespace orrery
