// SPDX-License-Identifier: Apache-2.0
//
// What each bandwidth buys: days, money and energy with one of them at half and at twice what it
// is, all else, the strategy too, as it is.
//
// Efficiencies and latencies stay; another strategy might make more of it (a plan with two
// clusters and `search` asks that). The peak power of the hardware stays too. Units: SI. Errors:
// none.
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

// Of the network between nodes, the links inside them, a GPU's memory and its link to the host:
// those that move something.
std::vector<Sensitivity> bandwidth_what_ifs(const OutcomeInputs& in,
                                            const std::vector<PieceRun>& pieces);

}  // namespace orrery
