// SPDX-License-Identifier: Apache-2.0
//
// The memory of one pipeline stage at its peak, line by line; the lines sum to the used memory that
// the device shows.
//
// The peak is the moment when the most micro batches are in flight and one of them is in backward,
// at its loss or in a layer (peak_moment.h). A stage above the device's capacity releases its
// cached blocks. If the gradients of input and weight are separate passes, a micro batch between
// them keeps the inputs of the latter: inputs of products and gradients of their outputs. Leaves
// out the shape of memory over time (the simulator). The lines beyond tensors (context,
// communicators, fragmentation) are constants of the framework's profile. Units: bytes of one rank.
// Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "memory/memory_lines.h"
#include "parallel/parameters_held.h"

namespace orrery {

struct Framework;
struct StateRecipe;
struct Strategy;
template <Number R>
struct StageActivations;

// Parameters whose states are sharded in one way.
struct ShardedHoldings {
  ParametersHeld parameters;
  ParametersHeld largest_layer;  // the unit of gathering sharded weights
  ParametersHeld largest_module;
  ParametersHeld ends;  // embedding and head, gathered as one piece of their own

  bool operator==(const ShardedHoldings&) const = default;
};

// Contents of a stage besides activations: parameters whose states are sharded as the run has it,
// and as a range of layers does (parallel/layer_rules.h).
struct StageHoldings : ShardedHoldings {
  ShardedHoldings resharded;
  double gathered_bytes = 2;  // of an element, in memory
  double groups = 0;          // communicators in use, as many as with an A100's channels
  Bytes receive_buffers{};    // of a pipeline, beside the inputs that are kept
  double narrow_bytes = 0;    // of a weight's copies in 8 or 4 bits; 0: products read 16 or more
  bool updated_one_by_one = false;  // the optimizer loops over tensors
  bool narrow_fixed = true;  // so have weights that do not train; packed ones are unpacked instead
};

// The part that follows from the holdings and from how states are sharded and offloaded, whatever
// the activations are.
template <Number R>
struct StageStates {
  BytesOf<R> weights{};
  BytesOf<R> secondary{};
  BytesOf<R> gradients{};
  BytesOf<R> optimizer{};
  BytesOf<R> gathered{};
  BytesOf<R> buckets{};          // flat buffers of gradients
  BytesOf<R> lent{};             // of them: freed before the update
  BytesOf<R> whole_gradients{};  // in place of `gradients` over several micro batches; 0: those
  BytesOf<R> outsized{};         // as the next, see StageMemory
  BytesOf<R> update{};
  BytesOf<R> host{};
  BytesOf<R> drives{};
  R bytes_per_parameter{};
};

template <Number R>
StageStates<R> stage_states(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const StageHoldings& holdings);

// Line by line the least of them all, or the most.
StageStates<double> least_of(std::span<const StageStates<double>> states);
StageStates<double> most_of(std::span<const StageStates<double>> states);

// All lines but fragmentation; settle() adds it and the sums (peak_moment.h). The sharding
// and offload of states in `s` are not read.
template <Number R>
StageMemory<R> unsettled_memory(const Strategy& s, const Framework& f, const StageStates<R>& states,
                                const StageHoldings& holdings,
                                const StageActivations<R>& activations);

// Settled, with no limit on cached blocks.
template <Number R>
StageMemory<R> stage_memory(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const StageHoldings& holdings, const StageActivations<R>& activations);

}  // namespace orrery
