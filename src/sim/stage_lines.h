// SPDX-License-Identifier: Apache-2.0
//
// The messages of a stage in a simulated step, as the lines of an answer: one a dimension and
// collective, priced on the links that the stage has.
//
// Lines of the passes and of the pipeline's sends take the time that they were priced at; an uneven
// load of experts makes those of its exchanges longer. The exposed time of a reduction or gather
// once a step is measured, and its time is longer by what it waits for slower replicas. Fitted to a
// breakdown, the exposed times of the lines of a term sum to it, and no line takes less time than
// it exposes: sends over shared links may take more than their price. Leaves out that the fullest
// rank of experts sends more bytes. Units: SI. Errors: none.
#pragma once

#include <vector>

#include "sim/plan.h"
#include "sim/step_clock.h"

namespace orrery {

using StageLines = std::vector<CommLine<double>>;

// By stage. `w` holds the prices of `run`.
std::vector<StageLines> stage_lines(const Run& run, const Workspace& w, const StepPlan& plan,
                                    const StepClock& times);

// Puts the lines of the breakdown's stage into the answer.
void fit_lines(const StageLines& lines, Answer& a);

}  // namespace orrery
