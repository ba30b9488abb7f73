// SPDX-License-Identifier: Apache-2.0
//
// Kernels that the host launches for one operator of a block, as the stack of the run has it.
//
// Models: what the list counts itself (chains that run operator by operator, adapters, losses),
// else the table of the run's profile (`host.forward`, `host.backward`), once for each product that
// the stack makes of one of the list, with the casts of 8- and 4-bit products, the kernels that
// unpack frozen weights, the sums of gradients. Leaves out views and other operators without a
// kernel, whose time is in that of a launch. Errors: none.
#pragma once

#include "estimate/price.h"
#include "parallel/host_work.h"
#include "parallel/shard.h"

namespace orrery {

struct Run;

struct Launches {
  double forward = 0;
  double backward = 0;

  Launches& operator+=(const Launches& o) {
    forward += o.forward;
    backward += o.backward;
    return *this;
  }
};

Launches launches_of(const ShardedOperator& op, const Run& run);

// Products that the stack makes of this one: of queries, keys and values, or of a gate and its
// other half.
double products_of(const ShardedOperator& op, const Run& run);

}  // namespace orrery
