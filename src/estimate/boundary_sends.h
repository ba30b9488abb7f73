// SPDX-License-Identifier: Apache-2.0
//
// The sends of a step over the boundaries between the parts of a model: what each takes, for the
// sweep, and what those of one stage put into the answer's lines. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

// Into the workspace, by boundary. Neighbours may stand on the same stage, which sends nothing, and
// copies of the model go over a boundary in both directions, of which the slower counts.
template <Number R>
void fill_sends(const Run& run, WorkspaceOf<R>& w);

// `added` is the time that the sends of all stages add to the step. It is the exposed time of the
// lines, those of the stage's own sends in `m` micro batches, and may be longer than these take.
// Returns it; nothing for a stage that sends nothing, whose answer has no line to hold it.
template <Number R>
SecondsOf<R> add_send_lines(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage,
                            std::int64_t m, SecondsOf<R> added, const CommSink<R>& sink);

}  // namespace orrery
