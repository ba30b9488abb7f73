// SPDX-License-Identifier: Apache-2.0
//
// The rent of the GPUs that learn and of those that generate, of one GPU and second. Leaves out
// nodes that are rented whole. Errors: none.
#pragma once

#include "core/money.h"

namespace orrery {

struct GpuRents {
  MoneyPerSecond learner;
  MoneyPerSecond generator;
};

}  // namespace orrery
