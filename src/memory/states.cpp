// SPDX-License-Identifier: Apache-2.0
#include "memory/states.h"

#include "parallel/partition.h"

namespace orrery {
namespace {

template <Number R>
BytesOf<R> sharded_bytes(std::int64_t parameters, double bytes, std::int64_t degree,
                         const Label& bytes_label) {
  if (parameters == 0) return {};
  return BytesOf<R>(count<R>(parameters, {"parameters of this rank"}) *
                    lift<R>(bytes, bytes_label) / count<R>(degree, {"ranks it is sharded over"}));
}

}  // namespace

template <Number R>
StateBytes<R> state_bytes(const StateRecipe& recipe, const ParametersHeld& parameters,
                          const Strategy& s) {
  StateBytes<R> sum;
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const Partition p = partition_of(s, which);
    const std::int64_t n = held(parameters, which);
    const FixedWeights& still = fixed(parameters, which);
    if (still.count > 0) {
      sum.fixed += lift<R>(still.stored, {"bytes of weights that do not train"}) /
                   count<R>(p.weights, {"ranks it is sharded over"});
    }
    sum.weights += sharded_bytes<R>(n, recipe.weights, p.weights, {"training.states.weights"});
    sum.gradients +=
        sharded_bytes<R>(n, recipe.gradients, p.gradients, {"training.states.gradients"});
    if (n > 0) {
      sum.updated += count<R>(n, {"parameters of this rank"}) /
                     count<R>(p.optimizer, {"ranks it is sharded over"});
    }
    const BytesOf<R> updating =
        sharded_bytes<R>(n, recipe.gradients, p.optimizer, {"training.states.gradients"});
    sum.updating += updating;
    if (p.optimizer > 1 || replicas(s, which) <= 1) sum.leaving += updating;
    sum.optimizer +=
        sharded_bytes<R>(n, recipe.optimizer, p.optimizer, {"training.states.optimizer"});
    if (const Bytes own = update(parameters, which).states; own > Bytes()) {
      sum.optimizer += lift<R>(own, {"states of matrices"}) /
                       count<R>(p.optimizer, {"ranks it is sharded over"});
    }
    const std::int64_t copy = secondary_of(s, which);
    if (copy == 0) continue;
    sum.secondary += sharded_bytes<R>(n, recipe.gathered, copy, {"training.states.gathered"});
    if (still.count > 0) {
      sum.secondary += lift<R>(still.gathered, {"bytes of weights that do not train"}) /
                       count<R>(copy, {"ranks it is sharded over"});
    }
  }
  sum.listed = sum.updated;
  return sum;
}

template StateBytes<double> state_bytes(const StateRecipe&, const ParametersHeld&, const Strategy&);
template StateBytes<Traced> state_bytes(const StateRecipe&, const ParametersHeld&, const Strategy&);

}  // namespace orrery
