// SPDX-License-Identifier: Apache-2.0
//
// The keys of a search's cached results: each holds every input, within one search, of the link of
// the chain it stands for. Equal keys mean equal results; a key may hold more than it must.
#pragma once

#include <cstdint>

#include "estimate/run.h"
#include "explore/points.h"
#include "parallel/strategy_choices.h"

namespace orrery {

// Ranks whose work differs, by their documents or by the sizes of their samples.
inline bool ranks_differ(const Run& run) {
  return run.training.lengths.count > 0 || run.training.buckets.count > 0;
}

// Ranks that gather weights wait for each other at every micro batch.
inline bool synchronises(const Run& run, const Partition& partition) {
  return ranks_differ(run) && partition.weights > 1;
}

// Inputs of the prices of blocks (estimate/price.h).
struct PriceKey {
  std::int64_t unit = -1;
  std::int64_t micro_batch = 0;
  bool sequence_parallel = false;
  ModuleMask modules = 0;
  bool written_out = false;
  bool zero_bubble = false;
  bool hides_experts = false;
  bool synchronises = false;
  TensorMask moved = 0;  // of offloaded activations
  double moved_share = 1;

  bool operator==(const PriceKey&) const = default;
};

// Inputs of the parts of the model (estimate/classes.h).
struct PartsKey {
  PriceKey price;
  ScheduleId schedule = ScheduleId::one_f_one_b;
  std::int16_t vpp = 0;
  std::int16_t split = 0;
  std::int8_t recompute = 0;
  std::int32_t recompute_layers = 0;

  bool operator==(const PartsKey&) const = default;
};

// Inputs of the costs of given parts (estimate/stage.h). The default is no run's.
struct CostKey {
  std::int64_t gathered = 0;  // ranks the weights are gathered from; 0: none, or any number
  std::int64_t reduced = 0;
  OffloadTarget parameters = OffloadTarget::none;
  OffloadTarget activations = OffloadTarget::none;
  bool least = false;  // no more than those of any sharding

  bool operator==(const CostKey&) const = default;
};

// Inputs of the times of the pipeline. Costs come first: they differ more often.
struct PipelineKey {
  CostKey costs;
  PartsKey parts;

  bool operator==(const PipelineKey&) const = default;
};

}  // namespace orrery
