// SPDX-License-Identifier: Apache-2.0
//
// Interruptions of a run: failures by class, time to detect one and to restart, removal and repair
// of nodes, planned stops, and slow ranks.
//
// Failures of a class come at a constant rate a GPU and second (a Poisson process); a job on n GPUs
// has n times that rate. Leaves out infant mortality, correlated failures, and the deviation of
// small jobs from the rate 1/n (RSC-1: 7.9 h at 1,024 GPUs where 1/n says 28.8). Sources are in
// configs/failures.
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
  PerSecond rate{};    // of the whole job, independent of its size
  Seconds duration{};  // of one stop; no work is lost, because a checkpoint is written before
};

struct Stragglers {
  double slowdown = 0;  // while there is a slow rank, a step takes (1 + slowdown) times as long
  double share = 1;     // of the time in which there is one
};

struct Interruptions {
  std::vector<FailureClass> classes;
  double rate_low = 1;  // the range of the rates, as factors
  double rate_high = 1;
  Ranged<Seconds> detection;
  Ranged<Seconds> restart;  // until training runs again, without reading the checkpoint
  Seconds repair{};         // of a removed node; 0: there is always a spare
  PlannedStops planned;
  Stragglers stragglers;
};

PerSecond rate_per_gpu(const Interruptions& i);
PerSecond node_rate_per_gpu(const Interruptions& i);  // of the classes that remove a node

}  // namespace orrery
