// SPDX-License-Identifier: Apache-2.0
//
// A change with which a run fits that ran out of memory although it is predicted to fit.
//
// Memory that the prediction misses is taken to grow and shrink with it: predicted memory is scaled
// by what was needed over what was predicted. The fastest of the single moves of insight/advice.h
// is taken that then fits as surely as the run asks. Leaves out switches of the framework. Errors:
// none.
#pragma once

#include <optional>

#include "insight/advice.h"

namespace orrery {

struct RunReport;

// `needed`: allocated and asked for when the job failed.
std::optional<Advice> memory_relief(const RunReport& r, Bytes needed);

}  // namespace orrery
