// SPDX-License-Identifier: Apache-2.0
//
// A step by one walk over its graph: the fast path, exact without contention. Errors: none.
#pragma once

#include "sim/step_clock.h"

namespace orrery {

enum class Keep : std::uint8_t { stages, passes };  // passes: keep the times of every pass

// `times` is reused. Flows share no links here, whatever `effects` says.
void sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects, Keep keep,
                StepClock& times);

StepClock sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     Keep keep = Keep::stages);

}  // namespace orrery
