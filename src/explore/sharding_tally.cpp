// SPDX-License-Identifier: Apache-2.0
#include "explore/sharding_tally.h"

namespace orrery {

void ShardingTallies::start(const std::vector<Sharding>& shardings) {
  list_.assign(shardings.size(), {});
  for (std::size_t k = 0; k < shardings.size(); ++k) list_[k].sharding = shardings[k];
  before_ = {};
  after_ = {};
}

void ShardingTallies::reject(RuleId rule, std::int64_t of_each) {
  const bool before = rule != RuleId::none && rule_part(rule) == RulePart::degrees;
  (before ? before_ : after_)[static_cast<std::size_t>(rule)] += of_each;
}

void ShardingTallies::hand_over(std::vector<FamilyTally>& families) const {
  for (const ShardingTally& t : list_) {
    for (const std::size_t family : t.families) {
      FamilyTally& f = families[family];
      for (std::size_t r = 0; r <= kRules; ++r) {
        const auto rule = static_cast<RuleId>(r);
        f.reject(rule, before_[r]);
        f.reject(t.broken == RuleId::none ? rule : t.broken, after_[r]);
      }
      f.legal += t.legal;
      f.feasible += t.feasible;
      if (needs_less(t.nearest, f.nearest)) f.nearest = t.nearest;
    }
  }
}

}  // namespace orrery
