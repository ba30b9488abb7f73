// SPDX-License-Identifier: Apache-2.0
//
// The same step as a SimAI workload: the text that its analytical and ns-3 simulators read, with
// the compute times filled in (github.com/aliyun/SimAI and aliyun/aicb, Work_Item of
// workload_generator/SimAI_training_workload_generator.py [from memory, unverified]).
//
// One line of sizes, the number of lines, then a line a piece of work: name, −1, and for the
// forward, the gradient of the input and the gradients of the weights each the nanoseconds of
// compute, a collective and its bytes; last the nanoseconds of an update. Pieces are those of the
// stage that computes most: what its weights and gradients move once a step, then its chunks for
// every micro batch, a line for each kind of collective. The pipeline is what SimAI makes of `pp`
// and `pp_comm`. Leaves out what the format has no words for: the order of the schedule, overlap,
// context-parallel groups and states sharded in every micro batch (refused by why_no_simai). Units:
// nanoseconds, bytes. Errors: none.
#pragma once

#include <string>

#include "sim/simulate.h"

namespace orrery {

// Empty where it can; else what it cannot do.
std::string why_no_simai(const Run& run);

std::string simai_workload(const Run& run, const Simulation& s);

}  // namespace orrery
