// SPDX-License-Identifier: Apache-2.0
//
// The families of the ways to shard the states of one unit: what became of its candidates, sharding
// by sharding. Most counts are the same for all shardings, so they are kept once and handed over
// when the unit is done.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/candidate.h"
#include "explore/families.h"
#include "parallel/rules.h"

namespace orrery {

struct FamilyTally {
  std::int64_t candidates = 0;
  std::int64_t legal = 0;
  std::int64_t feasible = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  Candidate best;
  Candidate nearest;

  void reject(RuleId rule, std::int64_t n) {
    candidates += n;
    rejected[static_cast<std::size_t>(rule)] += n;
  }
};

// One sharding: the rule that it breaks by itself, and its candidates that none rejects.
struct ShardingTally {
  Sharding sharding;
  RuleId broken = RuleId::none;
  std::array<std::size_t, 2> families{};
  std::int64_t legal = 0;
  std::int64_t feasible = 0;
  Candidate nearest;
};

class ShardingTallies {
 public:
  void start(const std::vector<Sharding>& shardings);

  std::vector<ShardingTally>& list() { return list_; }
  const std::vector<ShardingTally>& list() const { return list_; }

  // Candidates of each sharding, of which `rule` says the same: before any rule of the sharding, or
  // after them, which RuleId::none is too.
  void reject(RuleId rule, std::int64_t of_each);

  // Adds all of it to the shardings' families.
  void hand_over(std::vector<FamilyTally>& families) const;

 private:
  using ByRule = std::array<std::int64_t, kRules + 1>;

  std::vector<ShardingTally> list_;
  ByRule before_{};
  ByRule after_{};
};

}  // namespace orrery
