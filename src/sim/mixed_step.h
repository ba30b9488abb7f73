// SPDX-License-Identifier: Apache-2.0
//
// One training step of a run on several kinds of node, played.
//
// Each class of replicas is played as a pipeline of its own, with the passes that its stages take
// on their kinds and the sends between them. A stage's gradients are summed when all of its
// replicas have ended their last pass; then all wait for the norm, update and gather weights
// (step_clock.h). `closed` is the closed form (estimate/mixed_estimate.h); the differences lead
// from it to the played step. Leaves out: contention between kinds, whose links differ; slow and
// failed parts, checkpoints, memory over time. Units: SI. Errors: none.
#pragma once

#include <vector>

#include "estimate/mixed_estimate.h"
#include "sim/simulate.h"

namespace orrery {

struct PlayedClass {
  StepPlan plan;
  PassGraph graph;
  PlayedStep played;  // with passes
};

struct MixedSimulation {
  MixedAnswer closed;
  std::vector<PlayedClass> classes;
  StepClock times;  // actors: class · stages + stage
  Seconds step{};   // by the level of the stack
  std::vector<Difference> differences;
  std::uint64_t events = 0;
};

// Passes of one replica of each class.
std::int64_t passes_of(const MixedRun& run);

MixedSimulation simulate_mixed(const MixedRun& run);

}  // namespace orrery
