// SPDX-License-Identifier: Apache-2.0
//
// Parameters that one block adds to the stage that holds it. Errors: none.
#pragma once

#include "estimate/price.h"
#include "estimate/run.h"

namespace orrery {

// Parameters of one block of a kind. A shared weight is held twice where its two blocks stand on
// different stages; multi-token prediction stands with the head it shares.
template <Number R>
const ParametersHeld& block_parameters(const Run& run, const Prices<R>& prices, BlockType i) {
  const BlockPrice<R>& block = prices.blocks[i];
  const bool copies = ends_apart(run) && i != BlockType::mtp;
  return copies ? block.parameters_with_copy : block.parameters;
}

}  // namespace orrery
