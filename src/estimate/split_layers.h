// SPDX-License-Identifier: Apache-2.0
//
// The contiguous split of L layers over parts that makes Σ t + (m − 1)·max t least.
//
//   f(i, b) = min over a of f(i − 1, a) + t(i; a, b),   t(i; a, b) ≤ T
//
// for a limit T on the slowest part; T goes up from the least that has a split, as long as
// (m − 1)·T alone stays below the best. Exact; O(parts·L²) for each limit. t: seconds, none
// where a part cannot hold these layers. Errors: none; no layers where no split is possible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace orrery {

using PartTime =
    std::function<std::optional<double>(std::size_t part, std::int64_t begin, std::int64_t end)>;

struct SplitLayers {
  std::vector<std::int16_t> layers;  // by part; empty where no split is possible
  double sum = 0;                    // of the parts
  double most = 0;
};

SplitLayers split_layers(std::size_t parts, std::int64_t layers, std::int64_t micro_batches,
                         const PartTime& time);

}  // namespace orrery
