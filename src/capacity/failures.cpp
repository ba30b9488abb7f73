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

}  // namespace orrery
