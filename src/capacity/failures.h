// SPDX-License-Identifier: Apache-2.0
//
// What interrupts a run: failures by class, how long it takes to see one and to run again, nodes
// that are taken away and repaired, planned stops, and ranks that are slow.
//
// Failures of a class come at a constant rate a GPU and second (a Poisson process); a job on n GPUs
// sees n times that. Leaves out infant mortality, failures that strike together, and that small
// jobs fail less often than 1/n says (RSC-1: 7.9 h at 1,024 GPUs where 1/n says 28.8). Sources
// stand in configs/failures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capacity/ranged.h"
#include "orrery/quantity.h"

namespace orrery {

using PerSecond = Quantity<kNone - kSeconds>;

struct FailureClass {
  std::string name;
  PerSecond rate{};         // of one GPU
  bool takes_node = false;  // the node leaves until it is repaired
};

struct PlannedStops {
  PerSecond rate{};    // of the whole job, whatever its size
  Seconds duration{};  // of one; nothing is lost, a checkpoint is written before
};

struct Stragglers {
  double slowdown = 0;  // a step takes (1 + slowdown) as long while a slow rank is there
  double share = 1;     // of the time there is one
};

struct Interruptions {
  std::vector<FailureClass> classes;
  double rate_low = 1;  // the range of the rates, as factors
  double rate_high = 1;
  Ranged<Seconds> detection;
  Ranged<Seconds> restart;  // until training runs again, without reading the checkpoint
  Seconds repair{};         // of a node that was taken; 0: a spare is always at hand
  PlannedStops planned;
  Stragglers stragglers;
};

PerSecond rate_per_gpu(const Interruptions& i);
PerSecond node_rate_per_gpu(const Interruptions& i);  // of the classes that take a node

}  // namespace orrery
