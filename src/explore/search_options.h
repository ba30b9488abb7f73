// SPDX-License-Identifier: Apache-2.0
//
// Options of a search besides its space, and who works on it (explore/search.h). Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "explore/families.h"

namespace orrery {

struct Conditions;

// Calls work(0) … work(n − 1), at once or one after another.
using Parallel = std::function<void(const std::function<void(unsigned)>& work)>;

struct SearchTeam;  // explore/search_team.h

struct SearchOptions {
  std::size_t top = 5;
  double tie = 0;    // strategies up to this factor over the winner tie with it; 0: the interval's,
                     // 1 of another objective, whose interval is not known
  bool ties = true;  // false: they are not counted, and `pruned` is what that spares
  bool families = true;
  // false: nothing is counted, no strategy is the nearest to fit, and those that cannot be the best
  // or within its band are not judged. Without families only.
  bool counts = true;
  std::optional<AxisPair> pair;            // of which the best of every two values is wanted too
  const Conditions* conditions = nullptr;  // besides fitting; and what is best
  unsigned workers = 1;
  Parallel parallel;
  const SearchTeam* team = nullptr;  // other processes on the same space
  // Asked by every worker between two places; where it says so, the answer is that of a part.
  std::function<bool()> stopped;
  std::function<void(std::int64_t done, std::int64_t places)> progress;
};

}  // namespace orrery
