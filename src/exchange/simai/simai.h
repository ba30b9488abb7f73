// SPDX-License-Identifier: Apache-2.0
//
// The same step as a SimAI workload: the text that its analytical and ns-3 simulators read, with
// the compute times filled in (github.com/aliyun/SimAI and aliyun/aicb, Work_Item of
// workload_generator/SimAI_training_workload_generator.py [from memory, unverified]).
//
// One line of sizes, the number of lines, then one line a work item: name, −1, and for forward,
// input gradient and weight gradient each the nanoseconds of compute, a collective and its bytes;
// last the nanoseconds of an update. The work items are those of the stage with the most compute:
// first the once-a-step traffic of its weights and gradients, then its chunks for every micro
// batch, with one line for each kind of collective. SimAI derives the pipeline from `pp` and
// `pp_comm`. Leaves out what the format cannot express: the order of the schedule, overlap,
// context-parallel groups and states sharded in every micro batch (refused by why_no_simai). Units:
// nanoseconds, bytes. Errors: none.
#pragma once

#include <string>

namespace orrery {

struct Run;

struct Simulation;

// Empty where it can; else what it cannot do.
std::string why_no_simai(const Run& run);

std::string simai_workload(const Run& run, const Simulation& s);

}  // namespace orrery
