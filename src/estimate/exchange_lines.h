// SPDX-License-Identifier: Apache-2.0
//
// Adds the exchanges inside the layers of one chunk to the answer's lines and, on request, each of
// their message classes to the log. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

// For `m` micro batches. Prices and classes are in the workspace.
template <Number R>
void add_exchange_lines(const WorkspaceOf<R>& w, const StageClass<R>& chunk, std::int64_t m,
                        AnswerOf<R>& answer);

}  // namespace orrery
