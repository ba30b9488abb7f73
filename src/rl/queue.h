// SPDX-License-Identifier: Apache-2.0
//
// The queue between a generator and a learner on GPUs of their own, played as events.
//
// The generator makes batch k once batch k − 1 is made and the weights of update k − 1 − staleness
// are there (staleness 0: those of the update before, so that the two take turns). The learner
// takes batch k once it is made and update k − 1 is done. Handing weights over stops both. The
// period is the time between two updates once it no longer changes. Leaves out: batches that are
// made in parts by several workers, groups thrown away for age. Units: seconds. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

struct QueueTimes {
  Seconds generate{};
  Seconds learn{};
  Seconds handover{};
};

// One update: when its batch was begun and made, when it was learned, and its weights handed over.
struct PlayedUpdate {
  Seconds begin{};  // of generation; a pause for other weights may stand before it
  Seconds made{};
  Seconds learn{};  // its begin
  Seconds updated{};
};

// Batches of times of their own.
std::vector<PlayedUpdate> play_updates(const std::vector<QueueTimes>& batches,
                                       std::int64_t staleness);

struct QueuePeriod {
  Seconds period{};
  Seconds generator_waits{};  // of a period, for weights
  Seconds learner_waits{};    // for answers
  Seconds first{};            // the first update, with which nothing overlaps
};

// Batches that are all alike.
QueuePeriod play_queue(const QueueTimes& t, std::int64_t staleness);

}  // namespace orrery
