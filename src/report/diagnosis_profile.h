// SPDX-License-Identifier: Apache-2.0
//
// A profiler's trace in a diagnosis: what the GPU does with its time, and the kernels that take
// most of it. Errors: none.
#pragma once

#include <string>

#include "document/document.h"
#include "exchange/kineto/step_profile.h"

namespace orrery {

// "a profiler's trace (Kineto) of NVIDIA H100, 3 steps"
std::string profile_words(const StepProfile& p);

// Share of the time that the trace spans; 0 where that is nothing.
double share_of_profile(Seconds part, const StepProfile& p);

Section profile_section(const StepProfile& p);

}  // namespace orrery
