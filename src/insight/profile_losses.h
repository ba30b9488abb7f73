// SPDX-License-Identifier: Apache-2.0
//
// Causes that keep a GPU from computing, by the time that it costs in a profiler's trace.
//
// Idle time is that of data, allocations and synchronisations as the profile has it
// (exchange/kineto/step_profile.h), the rest of launches. Communication and copies that nothing
// hides cost what they take. A cause's probability is its part of all that is lost; those below two
// in a hundred of the whole time are left out. Leaves out kernels that are slower than they could
// be. Errors: none.
#pragma once

#include <vector>

#include "insight/diagnosed_cause.h"

namespace orrery {

struct StepProfile;

// The dearest first.
std::vector<DiagnosedCause> losses_of(const StepProfile& p);

}  // namespace orrery
