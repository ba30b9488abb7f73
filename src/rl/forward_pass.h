// SPDX-License-Identifier: Apache-2.0
//
// The time of the learner's forward pass alone over some micro batches, as log-probabilities take
// it: the forward times of the chain's virtual stages, after estimate().
//
//   (m − 1)·slowest stage + all stages and sends once
//
// as micro batches follow each other down the pipeline. Weights that are sharded are gathered in
// each, as in training. Leaves out: the host's launches beside what the chain has, tensors that are
// not saved, so that a larger micro batch would fit. Units: seconds. Errors: none.
#pragma once

#include <cstdint>

#include "estimate/forward.h"
#include "model/architecture.h"
#include "orrery/quantity.h"

namespace orrery {

// `micro_batches` of each replica.
Seconds forward_pass(const Run& run, const Workspace& w, std::int64_t micro_batches);

// The same of another model in the learner's place, split as it is; experts that its degrees do not
// divide are split like dense layers.
Seconds teacher_pass(const Run& learner, const Architecture& teacher, Workspace& w,
                     std::int64_t micro_batches);

}  // namespace orrery
