// SPDX-License-Identifier: Apache-2.0
//
// The interval of a stack whose level is known, beside what was known of it before.
//
// Never wider than `before`: steps of one's own cannot make a run less certain. Units: none.
// Errors: none.
#pragma once

#include "estimate/accuracy.h"

namespace orrery {

StepInterval interval_of(const Accuracy& table, const StackLevel& level,
                         const StepInterval& before);

}  // namespace orrery
