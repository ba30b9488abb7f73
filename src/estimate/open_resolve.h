// SPDX-License-Identifier: Apache-2.0
//
// Keys that a run leaves open, as it is resolved: predicted with their alternatives, which widen
// the intervals, or chosen. Errors: none.
#pragma once

#include "core/units.h"
#include "estimate/open_keys.h"

namespace orrery {

struct ResolvedRun;

// The intervals of the step and of the peak feel its alternatives.
void add_open_key(OpenKey key, ResolvedRun& out);

// Recompute, as the framework takes it by itself, and what else may be.
void predict_recompute(ResolvedRun& out);

// The same again where others hold bytes of the device beside the run.
void predict_recompute_beside(Bytes others, ResolvedRun& out);

// How evenly tokens reach the experts, where the run does not give it.
void predict_expert_load(ResolvedRun& out);

// The least recompute that fits.
void choose_recompute(ResolvedRun& out);

}  // namespace orrery
