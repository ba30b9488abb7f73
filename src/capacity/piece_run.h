// SPDX-License-Identifier: Apache-2.0
//
// The runs of a training, piece by piece. Errors: none.
#pragma once

#include <cstdint>

#include "estimate/run.h"

namespace orrery {

// Steps of one kind: a phase at one batch.
struct PieceRun {
  Run run;
  std::int64_t steps = 0;
};

}  // namespace orrery
