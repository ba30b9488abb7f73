// SPDX-License-Identifier: Apache-2.0
//
// The memory of one pipeline stage, line by line, as a plain value; memory/stage_memory.h makes it.
// The lines sum to the used memory that the device shows. Units: bytes of one rank. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "core/number.h"

namespace orrery {

enum class MemoryLine : std::uint8_t {
  weights,
  secondary_weights,  // the second copy of hpZ, for the gathers of backward; narrow copies
  gradients,
  optimizer,
  optimizer_working,  // copies that the update makes while it runs
  activations,        // saved tensors of the micro batches in flight
  recompute_working,  // tensors of the part being recomputed
  logits,             // logits, softmax and their gradient
  transient,          // gradients of activations
  gathered_weights,   // of sharded weights, and their gradients
  buckets,            // flat communication buffers
  context,            // used memory on the device before any allocation
  communicators,      // buffers of the communication library
  fragmentation,      // allocated and not used, cached blocks
};
constexpr EnumNames<MemoryLine> names_of(MemoryLine) {
  return {"weights",     "secondary_weights", "gradients",     "optimizer",    "optimizer_working",
          "activations", "recompute_working", "logits",        "transient",    "gathered_weights",
          "buckets",     "context",           "communicators", "fragmentation"};
}

template <Number R>
struct StageMemory {
  EnumArray<MemoryLine, BytesOf<R>> lines;
  BytesOf<R> peak{};           // what the device shows as used
  BytesOf<R> allocated{};      // counted by tensors, as by a framework
  BytesOf<R> reserved{};       // counted by blocks, as by its allocator
  BytesOf<R> freed{};          // gradients that are not there before backward, once a step
  BytesOf<R> last_layer{};     // activations at work when the last gradient is made
  BytesOf<R> update{};         // copies that the update makes, when no activation is left
  bool flat_update = false;    // they are blocks too large for those of activations
  BytesOf<R> lent{};           // of `buckets`: freed before the update
  BytesOf<R> outsized{};       // blocks of another moment that fit into none of the cached ones
  BytesOf<R> needed{};         // the peak without cached blocks, which a full device gives back
  Bytes given_back{};          // cached blocks that there is no room for
  BytesOf<R> host{};           // offloaded to the host's memory, of this rank
  BytesOf<R> drives{};         // and to its drives
  R bytes_per_parameter{};     // model states on the device over parameters held
  std::int64_t in_flight = 0;  // micro batches, of all chunks

  BytesOf<R>& operator[](MemoryLine i) { return lines[i]; }
  const BytesOf<R>& operator[](MemoryLine i) const { return lines[i]; }
};

// Cached blocks fill the device: the peak is its capacity, whatever else is on it.
template <Number R>
bool is_filled_by_cache(const StageMemory<R>& m) {
  return m.given_back > Bytes() && plain(m.needed) < plain(m.peak);
}

}  // namespace orrery
