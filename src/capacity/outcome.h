// SPDX-License-Identifier: Apache-2.0
//
// The outcome of one option: days from steps, interruptions and checkpoints; energy from days;
// money from both. All closed form, so it can be computed again with a changed input
// (capacity/sensitivity.h).
//
// Rent and purchase count from the first step to the last, spares included. Units: SI. Errors:
// none.
#pragma once

#include <optional>

#include "capacity/bill.h"
#include "capacity/checkpoint.h"
#include "capacity/energy.h"
#include "capacity/failures.h"
#include "capacity/goodput.h"
#include "hardware/cluster.h"

namespace orrery {

struct OutcomeInputs {
  Cluster cluster;
  std::int64_t spares = 0;   // nodes
  Ranged<Seconds> training;  // all steps, without interruptions
  Seconds longest_step{};
  StepLoad load;
  Bytes checkpoint{};
  Bytes stored{};  // data set and kept checkpoints
  Storage storage;
  CheckpointPolicy policy;
  Interruptions interruptions;
  Tariff prices;
  EnergyModel energy;
};

struct Outcome {
  CheckpointCost checkpoint;
  Recovery recovery;
  Goodput goodput;
  Seconds training{};  // with slow ranks
  Seconds wall{};
  double failures = 0;
  EnergyUse energy;
  Bill bill;
  std::optional<Money> cost;
};

Outcome outcome_of(const OutcomeInputs& in);

// Training time including slow ranks.
Seconds slowed(Seconds training, const Stragglers& s);

// Paid GPU-hours, spares included.
double gpu_hours(const OutcomeInputs& in, Seconds wall);

}  // namespace orrery
