// SPDX-License-Identifier: Apache-2.0
//
// Bytes of model states on one rank: parameters × recipe, each part over the ranks it is sharded
// on.
//
// ZeRO's table (arXiv:1910.02054, figure 1) and every other partition are this one product.
// Offloaded parts move to the host or to NVMe: the stated fraction of the optimizer, and the
// weights that are not in use. Errors: none.
#pragma once

#include "core/number.h"
#include "memory/recipe.h"
#include "parallel/parameters_held.h"

namespace orrery {

struct Strategy;

template <Number R>
struct StateBytes {
  BytesOf<R> weights{};  // that train
  R updated{};           // the number of them that this rank updates
  R listed{};            // of those: for which the update makes temporaries at once
  BytesOf<R> fixed{};    // that do not train
  BytesOf<R> gradients{};
  BytesOf<R> updating{};  // of the gradients: those of the parameters that this rank updates
  BytesOf<R> leaving{};   // those of them that need not wait for the replicas' sum
  BytesOf<R> optimizer{};
  BytesOf<R> secondary{};  // the second copy of hpZ, at the size of gathered weights
};

template <Number R>
StateBytes<R> state_bytes(const StateRecipe& recipe, const ParametersHeld& parameters,
                          const Strategy& s);

}  // namespace orrery
