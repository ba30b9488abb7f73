// SPDX-License-Identifier: Apache-2.0
//
// One option, from its parts to its end: steps, interruptions and checkpoints to days, days to
// energy, both to money. All of it closed form, so that it can be asked again with an input moved
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
  Ranged<Seconds> training;  // all steps, nothing in their way
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

// Training time with what slow ranks add.
Seconds slowed(Seconds training, const Stragglers& s);

// GPU-hours as they are paid: spares too.
double gpu_hours(const OutcomeInputs& in, Seconds wall);

}  // namespace orrery
