// SPDX-License-Identifier: Apache-2.0
//
// The largest allocations that XLA lists behind an out-of-memory error of a TPU:
//   1. Size: 2.00G
//      Operator: op_name="jit(train_step)/…/self_attention/…/dot_general[…]"
//      Shape: f32[32,4096,4096]{1,2,0:T(8,128)}
// Equal shapes of one operator are one row. Units: bytes. Errors: none; a text without such a list
// gives none.
#pragma once

#include <string_view>
#include <vector>

#include "exchange/snapshot/read_snapshot.h"

namespace orrery {

// The largest first. `where` is "f32[32,4096,4096] self_attention/dot_general".
std::vector<HeldMemory> xla_allocations(std::string_view text);

// Square in its last two dimensions and of attention: scores of all positions against all.
bool is_attention_scores(std::string_view where);

}  // namespace orrery
