// SPDX-License-Identifier: Apache-2.0
//
// The job of goodput.h, simulated with random failures: the spread around the mean.
//
// Each failure costs one draw, for any number of checkpoints in between, so a year of 16,384 GPUs
// takes microseconds. Repairs take a fixed time; planned stops are spread evenly. The same seed
// gives the same numbers on every machine.
#pragma once

#include <cstdint>

#include "capacity/goodput.h"

namespace orrery {

struct Spread {
  double mean = 0;
  double p10 = 0;
  double p90 = 0;
};

struct SimulatedGoodput {
  Ranged<Seconds> wall;  // mean, 10th and 90th percentile over the runs
  Spread failures;
  std::int64_t runs = 0;
  std::uint64_t seed = 0;
};

// `training` is the time without any loss.
SimulatedGoodput simulate_goodput(const Recovery& r, Seconds interval, Seconds training,
                                  std::int64_t runs, std::uint64_t seed);

}  // namespace orrery
