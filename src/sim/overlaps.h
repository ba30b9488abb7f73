// SPDX-License-Identifier: Apache-2.0
//
// What runs beside compute, each a choice of the framework's profile or of the strategy that a
// simulation can turn off by name, to see what it is worth.
//
// Turned off, the communication is all exposed, as `parallel.overlap` has it; a stream of offloaded
// tensors stands after its pass, the halves of DualPipe's pairs stand one after the other, and
// training stands still while a checkpoint is written. Ring steps and covered collectives then add
// to their operator. Leaves out overlaps that no profile has. Units: SI. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/plan.h"

namespace orrery {

struct Overlap {
  std::string_view name;
  std::string_view what;
  void (*turn_off)(Framework&) = nullptr;  // before costs are known
  void (*undo)(StepPlan&) = nullptr;       // or after
};

inline constexpr std::size_t kOverlaps = 9;
extern const std::array<Overlap, kOverlaps> kOverlapTable;

using OverlapMask = std::uint16_t;  // bit i: entry i of the table

}  // namespace orrery
