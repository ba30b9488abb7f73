// SPDX-License-Identifier: Apache-2.0
//
// A step that goes on after parts have failed.
//
// A failed GPU or node takes the replicas of the model that it holds out of the run: the others
// take over their part of the batch, each the same number of micro batches, and their GPUs stand
// idle. Of the replicas left as many go on as make a legal split (experts may need a multiple). A
// failed link is one of a node's network cards: the others carry its traffic. Leaves out the time
// until the run goes on, and spare nodes: with one in place of the failed the step is as before.
// Errors: why it cannot go on, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/disturb.h"

namespace orrery {

struct Failure {
  SlowPart part = SlowPart::gpu;
  std::int64_t which = 0;
};

struct Survivors {
  Run run;                 // of what is left
  std::vector<Slow> slow;  // links that are left with fewer cards
  std::string why_none;    // empty where the run goes on
};

Survivors survivors(const Run& run, const std::vector<Failure>& failures);

}  // namespace orrery
