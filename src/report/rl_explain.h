// SPDX-License-Identifier: Apache-2.0
//
// A step of reinforcement learning, or one of its phases, expanded: the step from its phases, a
// phase from its formula, an update from the chain's own recording (report/explain.h).
//
// A pass of the generator is expanded at the mean batch of the slowest engine and at the mean
// context; what passes of other batches add or spare is a node of its own, so that the tree adds up
// to the number. Errors: InputError for a number that a step does not have.
#pragma once

#include <string>

#include "report/explain.h"

namespace orrery {

struct RlStep;

// "step_time_s", "rl.phases.generate_s" or "generate".
Explanation explain_rl(const ResolvedRun& learner, const RlStep& step, const std::string& name);

}  // namespace orrery
