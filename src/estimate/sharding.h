// SPDX-License-Identifier: Apache-2.0
//
// The cost of gathering sharded states and of scattering them again.
//
// ZeRO++ (arXiv:2306.10209) changes three of these exchanges. qwZ: weights travel in few bits. hpZ:
// backward gathers a second copy, sharded over few ranks, at the size of gathered weights. qgZ:
// gradients are reduced in few bits by an all-to-all inside the node, followed by one of the rest
// between nodes. Quantizing reads and writes at the attained bandwidth of device
// memory (section 4: fused kernels bound by it). Leaves out scales, a few bytes a block of
// elements, and pipelining of the two hops. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "network/codec.h"
#include "network/collective_cost.h"
#include "parallel/comm_dimension.h"
#include "parallel/parameters_held.h"

namespace orrery {

struct Framework;
struct Run;
enum class BlockType : std::uint8_t;  // parallel/stages.h

// One collective that joins or splits `elements`, and `still` bytes besides, between shards of
// `inner` and of `outer` ranks.
template <Number R>
CollectiveCost<R> level_cost(const Run& run, ShardedStates which, Collective collective,
                             std::int64_t elements, double bytes, std::int64_t inner,
                             std::int64_t outer, const Codec& codec, Bytes still = {});

// A few exchanges, one after another.
template <Number R>
struct LevelMove {
  Collective collective = Collective::all_gather;
  std::int64_t ranks = 1;
  CollectiveCost<R> cost;
};

template <Number R>
struct LevelMoves {
  std::array<LevelMove<R>, 2> at{};
  std::size_t count = 0;

  void add(const LevelMove<R>& move) {
    if (move.cost.algorithm != Algorithm::none) at[count++] = move;
  }
  SecondsOf<R> time() const {
    SecondsOf<R> sum{};
    for (std::size_t i = 0; i < count; ++i) sum += at[i].cost.time;
    return sum;
  }
};

constexpr CommDimension dimension_of(ShardedStates which) {
  return which == ShardedStates::dense ? CommDimension::dp : CommDimension::edp;
}

const Codec& codec_of(const Run& run, ShardedStates which, Collective c);

// True if backward gathers the sharded weights of such a block again. FSDP's root unit and the last
// layers of torchtitan stay gathered from forward on.
bool gathers_again(const Framework& f, BlockType block);

// Weights sharded over `outer` ranks, gathered for compute; `still`: those that do not train.
template <Number R>
LevelMoves<R> gather_weights(const Run& run, ShardedStates which, std::int64_t elements,
                             Bytes still, std::int64_t outer);

// The same for backward, from the second copy if there is one.
template <Number R>
LevelMoves<R> gather_weights_again(const Run& run, ShardedStates which, std::int64_t elements,
                                   Bytes still, std::int64_t outer);

// Gradients sharded over `inner` ranks, reduced and sharded over `outer`.
template <Number R>
LevelMoves<R> reduce_gradients(const Run& run, ShardedStates which, std::int64_t elements,
                               std::int64_t inner, std::int64_t outer);

// Gradients sharded over `owners` ranks, summed over the replicas of each shard.
template <Number R>
LevelMoves<R> sum_over_replicas(const Run& run, ShardedStates which, std::int64_t elements,
                                std::int64_t owners);

}  // namespace orrery
