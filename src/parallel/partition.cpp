// SPDX-License-Identifier: Apache-2.0
#include "parallel/partition.h"

#include "parallel/placement.h"

namespace orrery {

Group shard_group(const Strategy& s, const Cluster& c, ShardedStates which, std::int64_t inner,
                  std::int64_t outer) {
  const TierSizes tiers = tier_sizes(c);
  return which == ShardedStates::dense ? data_subgroup(s, tiers, inner, outer)
                                       : expert_subgroup(s, tiers, inner, outer);
}

}  // namespace orrery
