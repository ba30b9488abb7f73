// SPDX-License-Identifier: Apache-2.0
//
// V-Half and V-Min (Qi et al. 2024, arXiv:2405.15362): two chunks a stage in a V, and a building
// block — when each stage does the six steps of one micro batch — repeated every six units of time.
//
// All steps of a block take one unit. From stage to stage each of its four passes moves by a fixed
// slope; what a stage holds is the slopes' sum over six. V-Half: 2, 1, 2, 1, half of what 1F1B
// holds; V-Min: 1, 1, 1, 1, a third; both and a constant. The passes follow one another as soon as
// no two steps of a stage fall together; weight gradients take the free units. Then units in which
// a stage waits are squeezed out, and weight gradients move behind input gradients that others wait
// for, never behind the next forward (the paper's "squeezing and reordering").
// The order does not depend on what steps really take; no closed form of the bubble is published.
// Errors: none.
#pragma once

#include <cstddef>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct VHalf : ZeroBubble<ChunkLayout::v_shaped> {
  static Programs programs(const PipelineShape& shape);
  static constexpr std::nullptr_t bubble = nullptr;  // none is published
};

struct VMin : ZeroBubble<ChunkLayout::v_shaped> {
  static Programs programs(const PipelineShape& shape);
  static constexpr std::nullptr_t bubble = nullptr;  // none is published
};

}  // namespace orrery
