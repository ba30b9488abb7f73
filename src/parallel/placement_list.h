// SPDX-License-Identifier: Apache-2.0
//
// Groups of ranks that do not fill devices in order.
//
// The members of a group differ in some digits of their rank; the list says where each sits. Every
// group is looked at: of all of a kind the fold takes, for each tier, the fewest members any group
// has in its fullest unit, and the most groups that send through one child's link. One pass over
// the ranks a kind of group; a list that only swaps whole units is not kept (placement_json.h).
// Errors: none; the list is sound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "network/group.h"
#include "parallel/placement.h"

namespace orrery {

// The members of a group differ in one digit of their rank, or in a few.
struct Digit {
  std::int64_t stride = 1;
  std::int64_t size = 1;
};

// Strides rise. Digits that follow each other without a gap are one.
struct Digits {
  std::size_t count = 0;
  std::array<Digit, kCountOf<Dim>> at{};

  void append(Digit d) {
    if (d.size == 1) return;
    if (count > 0 && at[count - 1].stride * at[count - 1].size == d.stride) {
      at[count - 1].size *= d.size;
    } else {
      at[count++] = d;
    }
  }
};

Group folded_by_list(const Digits& digits, const TierSizes& tiers);

// The outermost tier a message from a rank of one stage to its like in another crosses, and how
// many of them leave through one link there.
Group pair_by_list(const TierSizes& tiers, std::int64_t stride, std::int64_t stages,
                   std::int64_t from, std::int64_t to);

}  // namespace orrery
