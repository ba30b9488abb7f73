// SPDX-License-Identifier: Apache-2.0
//
// Whether a step can be played. Errors: InputError where it is too large, or scaled by a level of a
// stack.
#pragma once

namespace orrery {

struct ResolvedRun;

void check_playable(const ResolvedRun& r);

}  // namespace orrery
