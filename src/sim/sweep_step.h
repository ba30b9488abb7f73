// SPDX-License-Identifier: Apache-2.0
//
// A step by one pass over its graph: exact where nothing contends for a link, and the fast path.
#pragma once

#include "sim/step_clock.h"

namespace orrery {

enum class Keep : std::uint8_t { stages, passes };  // whether the times of every pass are kept

// `times` is reused. Flows share nothing here whatever `effects` says.
void sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects, Keep keep,
                StepClock& times);

StepClock sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     Keep keep = Keep::stages);

}  // namespace orrery
