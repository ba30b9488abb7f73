// SPDX-License-Identifier: Apache-2.0
//
// Parameters one rank holds, dense ones and those of experts apart: they have other replicas, so
// that states are sharded and gradients reduced over other ranks.
#pragma once

#include <cstdint>

namespace orrery {

enum class ShardedStates : std::uint8_t { dense, expert };

struct ParametersHeld {
  std::int64_t dense = 0;
  std::int64_t expert = 0;
};

inline std::int64_t held(const ParametersHeld& p, ShardedStates which) {
  return which == ShardedStates::dense ? p.dense : p.expert;
}

}  // namespace orrery
