// SPDX-License-Identifier: Apache-2.0
//
// ZB-V (Qi et al. 2023, arXiv:2401.10241, section 6): two chunks a stage in a V, backward in two
// steps. No bubble at F = B = W (of a chunk) and m ≥ 2p − 1 with the activations of 1F1B, the
// optimizer waiting for nobody; embedding and head stand on the first stage. Errors: none.
#pragma once

#include <cstddef>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct ZbV : ZeroBubble<ChunkLayout::v_shaped> {
  static Programs programs(const PipelineShape& shape);
  static constexpr std::nullptr_t bubble = nullptr;  // published for F = B = W alone
};

}  // namespace orrery
