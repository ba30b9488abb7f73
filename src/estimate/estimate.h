// SPDX-License-Identifier: Apache-2.0
//
// The closed form: a resolved run in, an answer out.
//
// price (one block) → stage (blocks on a virtual stage) → finish (the strategy's answer): the sweep
// of the schedule's graph gives the time of the micro batches, then follow what data parallelism
// leaves exposed, the optimizer and fixed costs. Memory is that of the stage with the highest peak.
// Leaves out what only a simulator sees: contention between unlike traffic, stragglers, jitter.
//
// The run must be legal (parallel/rules.h) and its schedule built. Repeated
// estimates share a workspace (workspace.h). Errors: none.
#pragma once

#include <vector>

#include "estimate/answer.h"

namespace orrery {

struct Run;

Answer estimate(const Run& run);

// The memory of every stage; `estimate` reports the highest.
std::vector<StageMemory<double>> memory_by_stage(const Run& run);

// Seconds each stage computes and talks in one step, without what it waits.
std::vector<Seconds> busy_by_stage(const Run& run);

}  // namespace orrery
