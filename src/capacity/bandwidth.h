// SPDX-License-Identifier: Apache-2.0
//
// The worth of each bandwidth: days, money and energy with one bandwidth at half and at twice its
// rate; all else stays, also the strategy.
//
// Efficiencies and latencies stay. Another strategy might gain more (for that use a plan with two
// clusters and `search`). The peak power of the hardware stays, too. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity/sensitivity.h"
#include "estimate/run.h"

namespace orrery {

// Steps of one kind: a phase at one batch.
struct PieceRun {
  Run run;
  std::int64_t steps = 0;
};

// The effects of the network between nodes, the links inside them, a GPU's memory and its host
// link; only those that change anything.
std::vector<Sensitivity> bandwidth_what_ifs(const OutcomeInputs& in,
                                            const std::vector<PieceRun>& pieces);

}  // namespace orrery
