// SPDX-License-Identifier: Apache-2.0
//
// Launch parameters of the kernels of cuda/.
#pragma once

#include <cstddef>

namespace orrery {

inline constexpr int kThreads = 256;  // of a block

// A thread an item, but for so many items that each thread takes several.
inline unsigned blocks_for(std::size_t items) {
  constexpr std::size_t kMost = 1U << 16U;
  const std::size_t wanted = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted > kMost ? kMost : wanted);
}

}  // namespace orrery
