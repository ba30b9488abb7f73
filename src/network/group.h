// SPDX-License-Identifier: Apache-2.0
//
// A communication group, folded onto the tiers of a cluster.
//
// `members[i]` is how many of the group's ranks sit inside one unit of tier i (tier 0 is the
// innermost; the last tier is the whole cluster, so its count is `ranks`). `sharers[i]` is how many
// groups of the same kind send through one child's link into tier i at the same time: the NICs of a
// node are shared by all who use them. Leaves out groups whose members lie unevenly over units: the
// folding takes the group most torn apart (parallel/placement.h). Errors: none.
#pragma once

#include <array>
#include <cstdint>

#include "hardware/tier.h"

namespace orrery {

struct Group {
  std::int64_t ranks = 1;
  std::array<std::int64_t, kMaxTiers> members{1, 1, 1, 1, 1, 1};
  std::array<std::int64_t, kMaxTiers> sharers{1, 1, 1, 1, 1, 1};
  double busiest_rank = 1;  // of an all-to-all: what the busiest rank sends, over the mean
  double fabric_share = 1;  // of a fabric's rate at rest, what this group reaches in training

  bool operator==(const Group&) const = default;
};

}  // namespace orrery
