// SPDX-License-Identifier: Apache-2.0
//
// The time of one pass of an engine: one token (or a few, with drafts) of every running sequence.
//
//   t(B, C) = weights + products beyond them + cache + passes + exchanges + kernels + host
//
// over the operators of the model with one token a sequence. Weights are read once for the batch;
// of routed experts those that the batch hits, E·(1 − (1 − k/E)^B) of E in expectation. The cache
// is read for every sequence, C tokens each (fewer in windows). Every kernel takes at least the
// engine's time of a kernel in a graph; beyond the largest batch with a graph the host launches
// them. Leaves out: overlap of exchanges with products, batches padded to captured sizes, experts
// hit unevenly, the draft model's own passes. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"
#include "generate/generator.h"

namespace orrery {

enum class PassPart : std::uint8_t {
  weights,    // reading them
  products,   // computing, beyond the time of reading
  cache,      // reading keys, values and states
  passes,     // elementwise operators
  exchanges,  // between the GPUs of the engine
  kernels,    // the least time of each
  host,       // between two passes
};
constexpr EnumNames<PassPart> names_of(PassPart) {
  return {"weights", "products", "cache", "passes", "exchanges", "kernels", "host"};
}

using EnginePass = EnumArray<PassPart, Seconds>;

Seconds sum_of(const EnginePass& t);

// Expected number of experts that at least one of `tokens` chooses, each k of E evenly.
double experts_hit(std::int64_t experts, std::int64_t top_k, double tokens);

// `batch` sequences of the engine, of `context` tokens each in the mean.
EnginePass engine_pass(const Generator& g, std::int64_t batch, double context);

// The same for many questions: parts that do not depend on the context are kept by batch.
class EnginePasses {
 public:
  explicit EnginePasses(const Generator& g);

  Seconds time(std::int64_t batch, double context);

 private:
  const Generator& g_;
  std::vector<Seconds> fixed_;  // by batch; below zero: not asked yet
};

}  // namespace orrery
