// SPDX-License-Identifier: Apache-2.0
//
// Whether a step can be played. Errors: InputError where it is too large, or scaled by a level of a
// stack.
#pragma once

#include "estimate/resolve.h"

namespace orrery {

void check_playable(const ResolvedRun& r);

}  // namespace orrery
