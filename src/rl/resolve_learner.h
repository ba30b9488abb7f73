// SPDX-License-Identifier: Apache-2.0
//
// A run of reinforcement learning resolved, with what it leaves open as its phases have space for
// it.
//
// The learner alone has more space than beside an engine that sleeps and a frozen copy: open
// recompute is the least that fits as likely as not beside them. Where generator and learner share
// GPUs, an open share of the engine is the engine's own, or the largest that leaves the learner in
// place (in steps of 0.05) where the engine's own does not; tools set 0.3 (TRL) to 0.6 (NeMo RL)
// there. Leaves out the two beside each other: the share is judged first. Errors: InputError of
// estimate/resolve.h.
#pragma once

#include <string>
#include <vector>

#include "estimate/resolve.h"

namespace orrery {

struct MomentMemory;
struct Rollout;

// The share of a device beside which everything else of the generating phase stays in place; below
// 0 where there is none.
double share_beside(const MomentMemory& generate, const Rollout& rollout);

// A run without training.rl is that of resolve_run().
ResolvedRun resolve_learner(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes = {});

}  // namespace orrery
