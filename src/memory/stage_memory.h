// SPDX-License-Identifier: Apache-2.0
//
// The memory of one pipeline stage at its peak, line by line; the lines sum to what the device
// shows.
//
// The peak is taken where the most micro batches are in flight and one of them is going backward,
// at its loss or in a layer (peak_moment.h). What would be above the device gives its cached blocks
// back. Where the gradients of input and weight are steps of their own, a micro batch between them
// keeps what the latter needs: inputs of products and gradients of their outputs. Leaves out the
// shape of memory over time (the simulator), and 8-bit copies of weights that some stacks cache.
// The lines beyond tensors (context, communicators, fragmentation) are constants of the framework's
// profile. Units: bytes of one rank.
#pragma once

#include <cstdint>

#include "memory/memory_lines.h"
#include "parallel/parameters_held.h"

namespace orrery {

struct Framework;
struct StateRecipe;
struct Strategy;
template <Number R>
struct StageActivations;

// What a stage holds besides activations.
struct StageHoldings {
  ParametersHeld parameters;
  ParametersHeld largest_layer;  // what sharded weights are gathered by
  ParametersHeld largest_module;
  ParametersHeld ends;        // embedding and head, gathered as one piece of their own
  double gathered_bytes = 2;  // of an element, in memory
  std::int64_t groups = 0;    // communicators in use
  Bytes receive_buffers{};    // of a pipeline, beside the inputs that are kept
};

template <Number R>
StageMemory<R> stage_memory(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const StageHoldings& holdings, const StageActivations<R>& activations);

}  // namespace orrery
