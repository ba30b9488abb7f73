// SPDX-License-Identifier: Apache-2.0
//
// A step that goes on after parts have failed.
//
// A failed GPU or node takes the replicas that use it out of the run, and their GPUs stand idle.
// The other replicas take over their part of the batch, each the same number of micro batches; if
// no legal split uses all of them (experts may need a multiple), fewer go on. The batch, and with
// it the step's FLOPs, may grow to the next whole number of them. A failed link is one of a node's
// network cards: the node's other cards carry its traffic (slow_links.h). Ranks that go on are
// numbered anew, in the same order: on the devices of a list, else on the first devices. Leaves out
// the downtime, and spare nodes, with which the step stays the same. Errors: the reason why the run
// cannot go on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/run.h"
#include "sim/disturb.h"

namespace orrery {

struct Failure {
  SlowPart part = SlowPart::gpu;
  std::int64_t which = 0;
};

struct Survivors {
  Run run;                 // with the surviving replicas
  std::vector<Slow> slow;  // links with fewer cards
  std::string why_none;    // empty if the run goes on
};

Survivors survivors(const Run& run, const std::vector<Failure>& failures);

}  // namespace orrery
