// SPDX-License-Identifier: Apache-2.0
//
// Overlaps with compute: choices of the framework's profile or of the strategy, which a simulation
// can turn off by name to measure their gain.
//
// If it is off, communication is fully exposed, as with `parallel.overlap` false; copies of
// offloaded tensors follow their pass, the halves of DualPipe's pairs run one after the other, and
// training stands still while a checkpoint is written. Ring steps and hidden collectives then add
// to their operator. Leaves out overlaps that no profile has. Units: SI. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "parallel/framework.h"
#include "sim/plan.h"

namespace orrery {

struct Overlap {
  std::string_view name;
  std::string_view what;
  void (*turn_off)(Framework&) = nullptr;  // applied before pricing
  void (*undo)(StepPlan&) = nullptr;       // or after it
};

inline constexpr std::size_t kOverlaps = 9;
extern const std::array<Overlap, kOverlaps> kOverlapTable;

using OverlapMask = std::uint16_t;  // bit i: entry i of the table

}  // namespace orrery
