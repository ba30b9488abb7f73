// SPDX-License-Identifier: Apache-2.0
//
// The memory of an answer: that of the stage whose peak is highest, what the host holds, and
// whether both fit.
#pragma once

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

template <Number R>
void fill_memory(const Run& run, WorkspaceOf<R>& w, AnswerOf<R>& answer);

}  // namespace orrery
