// SPDX-License-Identifier: Apache-2.0
//
// The second link of the chain: what one virtual stage costs for one micro batch.
//
// Block prices times counts, full recompute, the sum of gradients, and what sharded weights bring
// and take each micro batch: every layer's weights are gathered forward and again backward and its
// gradients reduced, and under FSDP summed over replicas of their shards, beside its compute; the
// two join by a p-norm (FSDP prefetches one layer ahead). Leaves out what happens once a step
// (data_parallel.h), the order of steps (parallel/schedules), and that a reduction in the node and
// an all-reduce between nodes may run side by side. Errors: none.
#pragma once

#include "estimate/answer.h"
#include "estimate/price.h"

namespace orrery {

struct Run;

template <Number R>
struct StageCosts {
  Terms<R> forward{};
  Terms<R> backward{};
  SecondsOf<R> forward_time{};
  SecondsOf<R> backward_time{};
  SecondsOf<R>
      weight_time{};   // of backward_time, products for weight gradients and adding these up
  Flops recomputed{};  // by one rank, as the run's convention counts
};

// A way to shard the states that no real one is faster than: exchanges are free, and gradients are
// summed in as many shards as any has.
struct FreeSharding {
  std::int64_t summed_shards = 1;
};

// `free`: in place of the run's own sharding.
template <Number R>
StageCosts<R> stage_costs(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                          const RecomputedBlocks& again, const FreeSharding* free = nullptr);

// Parameters a rank of this virtual stage holds, were nothing sharded over replicas; `apart` of its
// blocks shard their states otherwise. A shared weight is held twice where its two blocks stand on
// different stages.
template <Number R>
StageParameters stage_parameters(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                                 const BlockCounts& apart = {});

}  // namespace orrery
