// SPDX-License-Identifier: Apache-2.0
//
// Weights, gradients and optimizer states, each sharded over a group of its own, for dense
// parameters and for experts.
//
// One idea covers ZeRO, FSDP, HSDP, MiCS and three-level partitions: a state sharded over n of the
// ranks that hold the same parameter. ZeRO: arXiv:1910.02054; MiCS: arXiv:2205.00119; three levels:
// arXiv:2501.04266; the second copy of ZeRO++: arXiv:2306.10209. Errors: none; rules.h refuses what
// is not legal.
#pragma once

#include <numeric>

#include "network/group.h"
#include "parallel/framework.h"
#include "parallel/parameters_held.h"
#include "parallel/strategy.h"

namespace orrery {

struct Cluster;

// Ranks of one site that hold the same parameter.
inline std::int64_t replicas(const Strategy& s, ShardedStates which) {
  return which == ShardedStates::dense ? dense_replicas(s) : expert_dp(s) / s.sites;
}

// The strategy's partition, of the ranks there are: what is sharded over all replicas of a dense
// parameter is over all of an expert, and groups of some are as many of them as divide both.
inline Partition partition_of(const Strategy& s, ShardedStates which) {
  if (which == ShardedStates::dense) return s.partition;
  const std::int64_t all = replicas(s, ShardedStates::dense);
  const std::int64_t n = replicas(s, which);
  const auto cut = [all, n](std::int64_t degree) {
    return degree == all && all > 1 ? n : std::gcd(degree, n);
  };
  return {cut(s.partition.weights), cut(s.partition.gradients), cut(s.partition.optimizer)};
}

// Ranks over which hpZ shards its second copy of the weights; 0 where there is none. Experts with
// fewer replicas share it among as many as divide both.
inline std::int64_t secondary_of(const Strategy& s, ShardedStates which) {
  if (s.zeropp.hpz == 0) return 0;
  if (which == ShardedStates::dense) return s.zeropp.hpz;
  const std::int64_t ranks = std::gcd(s.zeropp.hpz, partition_of(s, which).weights);
  return ranks > 1 ? ranks : 0;
}

// Replicas among `devices` devices in a row, where the tensor-parallel ranks are innermost and
// stages outermost; all of them where the two do not divide, or with `devices` 0.
constexpr std::int64_t replicas_within(std::int64_t devices, std::int64_t tp,
                                       std::int64_t replicas) {
  const std::int64_t group = devices / tp;
  return group > 0 && devices % tp == 0 && replicas % group == 0 ? group : replicas;
}

// The strategy of the blocks whose states a range of layers shards otherwise (layer_rules.h).
Strategy resharded(const Strategy& s);

// The part of a parameter's replicas that joins shards of `inner` ranks to shards of `outer`
// (parallel/placement.h).
Group shard_group(const Strategy& s, const Cluster& c, ShardedStates which, std::int64_t inner,
                  std::int64_t outer);

// Whether sharded weights are gathered anew in every micro batch, or once a step and kept.
inline bool gathers_every_micro_batch(const Strategy& s, const Framework& f) {
  return s.partition.weights > 1 && !(f.gathers.keeps(KeptGathered::pipeline) && s.pp > 1);
}

// Gradients of sharded weights are summed whole over the micro batches of a step.
inline bool keeps_gradients_whole(const Strategy& s, const Framework& f) {
  return f.gradients.whole_until_reduced && s.partition.weights > 1 && s.micro_batches > 1;
}

// Gradients are reduced in every micro batch: with the weights, or because they are kept sharded
// while they are summed ((m + 1)Ψ a step for ZeRO-2, 2Ψ where m = 1).
inline bool reduces_every_micro_batch(const Strategy& s, const Framework& f) {
  if (keeps_gradients_whole(s, f)) return false;
  return gathers_every_micro_batch(s, f) || (s.partition.weights == 1 && s.partition.gradients > 1);
}

// Shards of gradients so reduced are also summed over their replicas in every micro batch, not once
// a step.
inline bool sums_replicas_every_micro_batch(const Strategy& s, const Framework& f) {
  return f.gradients.replicas_every_micro_batch && reduces_every_micro_batch(s, f);
}

}  // namespace orrery
