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

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/enum_names.h"
#include "memory/stage_activations.h"
#include "memory/states.h"
#include "parallel/framework.h"

namespace orrery {

enum class MemoryLine : std::uint8_t {
  weights,
  secondary_weights,  // the second copy of hpZ, for the gathers of backward
  gradients,
  optimizer,
  activations,        // saved tensors of the micro batches in flight
  recompute_working,  // what one recomputed piece brings back
  logits,             // logits, softmax and their gradient
  transient,          // gradients of activations
  gathered_weights,   // brought together where weights are sharded, and their gradients
  buckets,            // flat communication buffers
  context,            // what the device shows as used before anything is allocated
  communicators,      // buffers of the communication library
  fragmentation,      // allocated and not used, cached blocks
};
inline constexpr std::size_t kMemoryLines = kCountOf<MemoryLine>;
constexpr EnumNames<MemoryLine> names_of(MemoryLine) {
  return {"weights",          "secondary_weights", "gradients", "optimizer",
          "activations",      "recompute_working", "logits",    "transient",
          "gathered_weights", "buckets",           "context",   "communicators",
          "fragmentation"};
}

template <Number R>
struct StageMemory {
  std::array<BytesOf<R>, kMemoryLines> lines{};
  BytesOf<R> peak{};           // what the device shows as used
  BytesOf<R> allocated{};      // as a framework counts tensors
  BytesOf<R> reserved{};       // and as its allocator holds blocks
  BytesOf<R> outsized{};       // blocks of another moment that fit into none of the cached ones
  BytesOf<R> host{};           // offloaded to the host's memory, of this rank
  R bytes_per_parameter{};     // model states on the device over parameters held
  std::int64_t in_flight = 0;  // micro batches, of all chunks

  BytesOf<R>& operator[](MemoryLine i) { return lines[static_cast<std::size_t>(i)]; }
  const BytesOf<R>& operator[](MemoryLine i) const { return lines[static_cast<std::size_t>(i)]; }
};

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
