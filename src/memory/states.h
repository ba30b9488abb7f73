// SPDX-License-Identifier: Apache-2.0
//
// Bytes of model states on one rank: parameters × recipe, each part over the ranks it is sharded
// on.
//
// ZeRO's table (arXiv:1910.02054, figure 1) and every other partition are this one product.
// Offloaded parts move to the host or to NVMe: of the optimizer the stated fraction, of weights
// what is not being computed with.
#pragma once

#include <array>

#include "core/number.h"
#include "memory/recipe.h"
#include "parallel/partition.h"

namespace orrery {

template <Number R>
struct StateBytes {
  BytesOf<R> weights{};
  BytesOf<R> gradients{};
  BytesOf<R> optimizer{};
  BytesOf<R> secondary{};  // the second copy of hpZ, as gathered weights are held
};

template <Number R>
BytesOf<R> sharded_bytes(std::int64_t parameters, double bytes, std::int64_t degree,
                         const Label& bytes_label) {
  if (parameters == 0) return {};
  return BytesOf<R>(count<R>(parameters, {"parameters of this rank"}) *
                    lift<R>(bytes, bytes_label) / count<R>(degree, {"ranks it is sharded over"}));
}

template <Number R>
StateBytes<R> state_bytes(const StateRecipe& recipe, const ParametersHeld& parameters,
                          const Strategy& s) {
  StateBytes<R> sum;
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const Partition p = partition_of(s, which);
    const std::int64_t n = held(parameters, which);
    sum.weights += sharded_bytes<R>(n, recipe.weights, p.weights, {"training.states.weights"});
    sum.gradients +=
        sharded_bytes<R>(n, recipe.gradients, p.gradients, {"training.states.gradients"});
    sum.optimizer +=
        sharded_bytes<R>(n, recipe.optimizer, p.optimizer, {"training.states.optimizer"});
    const std::int64_t copy = secondary_of(s, which);
    if (copy == 0) continue;
    sum.secondary += sharded_bytes<R>(n, recipe.gathered, copy, {"training.states.gathered"});
  }
  return sum;
}

}  // namespace orrery
