// SPDX-License-Identifier: Apache-2.0
//
// Rates to ask a seller for: the storage's for checkpoints, the network's for the strategy.
//
// Storage: the least write rate at which checkpoints stop training for at most kStallAllowed of the
// time. The interval is the plan's, or the best one for that rate (capacity/goodput.h). Where
// checkpoints are written beside training, one is safe before the next begins. A checkpoint's
// overhead stops training as well; where it alone takes more than allowed, no rate will do.
// Network: bytes that a node sends to other nodes in a step, and the least rate at which a step
// takes at most kSlowerAllowed longer than with the network that is there. Efficiency and latency
// stay. Leaves out reading at a restart, and data. Units: SI. Errors: none.
#pragma once

#include "capacity/outcome.h"

namespace orrery {

struct Run;

inline constexpr double kStallAllowed = 0.01;
inline constexpr double kSlowerAllowed = 0.05;

struct PurchaseNeeds {
  BytesPerSecond write{};        // 0: nothing says how often to write, or no rate will do
  Seconds write_every{};         // one checkpoint
  bool no_rate_will_do = false;  // a checkpoint's overhead alone stops training for too long
  bool copy_stalls = false;  // a node's own links stop training for longer, whatever the storage
  // A node sends to others; 0: nothing.
  BytesPerSecond sent{};  // mean over a step
  BytesPerSecond least{};
  BytesPerSecond has{};
};

// `run`: of the first phase, at its full batch.
PurchaseNeeds purchase_needs(const OutcomeInputs& in, const Outcome& o, const Run& run);

}  // namespace orrery
