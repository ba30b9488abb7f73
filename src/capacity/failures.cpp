// SPDX-License-Identifier: Apache-2.0
#include "capacity/failures.h"

namespace orrery {

PerSecond rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) rate += c.rate;
  return rate;
}

PerSecond node_rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) {
    if (c.takes_node) rate += c.rate;
  }
  return rate;
}

double expected_failures(const Interruptions& i, std::int64_t gpus, Seconds time) {
  return rate_per_gpu(i) * time * static_cast<double>(gpus);
}

}  // namespace orrery
