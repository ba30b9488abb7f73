// SPDX-License-Identifier: Apache-2.0
//
// What the exchanges inside the layers of one chunk put into the answer's lines, and, where someone
// asks, each class of message of theirs into the log.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

// Of `m` micro batches. Prices and classes stand in the workspace.
template <Number R>
void add_exchange_lines(const WorkspaceOf<R>& w, const StageClass<R>& chunk, std::int64_t m,
                        AnswerOf<R>& answer);

}  // namespace orrery
