// SPDX-License-Identifier: Apache-2.0
//
// Recompute where a run file leaves it open: chosen, or predicted.
//
// The least that fits is the first of none, selective, full of as few layers of each chunk as fit,
// full of all, as far as the framework has them, else the last. Memory is judged by whole
// estimates. A choice fits the device with the probability asked for (estimate/risk.h); what
// recompute costs in time is not weighed. A prediction is the framework's default where that fits
// as likely as not, else the least that does; its alternatives (estimate/open_keys.h) leave out
// recompute of some layers. Errors: none; the run is legal.
#pragma once

#include <vector>

#include "core/fact.h"
#include "estimate/open_keys.h"
#include "estimate/workspace.h"

namespace orrery {

struct Run;

// Sets the run's recompute; returns what was set. Prices and parts of the run as chosen then stand
// in the workspace.
std::vector<Fact> choose_least_recompute(Run& run, Workspace& workspace);

// Sets the run's recompute as a user's own run most likely has it.
void predict_recompute(Run& run, Workspace& workspace);

// The same, with the alternatives, which are estimated too.
OpenKey open_recompute(Run& run, Workspace& workspace);

// The keys of the run's recompute, with one origin.
std::vector<Fact> recompute_facts(const Run& run, const Fact& origin);

}  // namespace orrery
