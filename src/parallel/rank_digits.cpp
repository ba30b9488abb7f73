// SPDX-License-Identifier: Apache-2.0
#include "parallel/rank_digits.h"

#include <algorithm>

namespace orrery {

std::vector<std::int64_t> members_of(const Digits& digits, std::int64_t rank) {
  std::vector<std::int64_t> ranks = {rank};
  for (std::size_t i = 0; i < digits.count; ++i) {
    const Digit& d = digits.at[i];
    const std::size_t before = ranks.size();
    for (std::size_t k = 0; k < before; ++k) {
      const std::int64_t first = ranks[k] - ranks[k] / d.stride % d.size * d.stride;
      ranks[k] = first;
      for (std::int64_t v = 1; v < d.size; ++v) ranks.push_back(first + v * d.stride);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace orrery
