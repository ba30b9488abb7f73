// SPDX-License-Identifier: Apache-2.0
//
// What it costs to bring sharded states together and to take them apart again.
//
// ZeRO++ (arXiv:2306.10209) changes three of these moves. qwZ: weights travel in few bits. hpZ:
// backward gathers a second copy, sharded over few ranks and held as gathered weights are. qgZ:
// gradients are reduced by an all-to-all inside the node and one of what is left between nodes, in
// few bits, one after the other. Quantizing reads and writes at the attained bandwidth of device
// memory (section 4: fused kernels bound by it). Leaves out scales, a few bytes a block of
// elements, and pipelining of the two hops.
#pragma once

#include "cost/product.h"
#include "estimate/run.h"
#include "network/codec.h"
#include "parallel/partition.h"

namespace orrery {

// One collective that joins or splits `elements` between shards of `inner` and of `outer` ranks.
template <Number R>
CollectiveCost<R> level_cost(const Run& run, ShardedStates which, Collective collective,
                             std::int64_t elements, double bytes, std::int64_t inner,
                             std::int64_t outer, const Codec& codec) {
  if (elements == 0 || outer <= inner) return {};
  Group group = shard_group(run.strategy, run.cluster, which, inner, outer);
  const R n = count<R>(elements, {"parameters of this rank"}) /
              count<R>(inner, {"ranks the state is sharded over already"});
  const BytesOf<R> buffer(n * lift<R>(bytes, {"bytes an element on the wire"}));
  group.fabric_share = run.framework.fabric_share;
  return coded_cost<R>(run.cluster, group, collective, buffer, codec);
}

// Between elements of `bytes` and of `bits`, reading the one and writing the other.
inline Codec quantizer(const Device& d, double bytes, std::int64_t bits) {
  Codec c;
  c.ratio = 8 * bytes / static_cast<double>(bits);
  c.compress = c.decompress = attained_memory_bandwidth<double>(d) * (1 / (1 + 1 / c.ratio));
  return c;
}

// Some of a few moves that follow one another.
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

inline const Codec& codec_of(const Run& run, ShardedStates which, Collective c) {
  return run.compression.of(dimension_of(which), c);
}

// Weights sharded over `outer` ranks, gathered for compute.
template <Number R>
LevelMoves<R> gather_weights(const Run& run, ShardedStates which, std::int64_t elements,
                             std::int64_t outer) {
  const double bytes = gathered_bytes(run);
  const std::int64_t bits = run.strategy.zeropp.qwz;
  const Codec codec = bits > 0 ? quantizer(run.cluster.device, bytes, bits)
                               : codec_of(run, which, Collective::all_gather);
  LevelMoves<R> moves;
  moves.add({Collective::all_gather, outer,
             level_cost<R>(run, which, Collective::all_gather, elements, bytes, 1, outer, codec)});
  return moves;
}

// The same for backward, from the second copy where there is one.
template <Number R>
LevelMoves<R> gather_weights_again(const Run& run, ShardedStates which, std::int64_t elements,
                                   std::int64_t outer) {
  const std::int64_t copy = secondary_of(run.strategy, which);
  if (copy == 0) return gather_weights<R>(run, which, elements, outer);
  LevelMoves<R> moves;
  moves.add({Collective::all_gather, copy,
             level_cost<R>(run, which, Collective::all_gather, elements, gathered_bytes(run), 1,
                           copy, codec_of(run, which, Collective::all_gather))});
  return moves;
}

// Ranks of one node in the group that splits what `inner` ranks share already over `outer`.
inline std::int64_t ranks_in_node(const Run& run, ShardedStates which, std::int64_t inner,
                                  std::int64_t outer) {
  const Group g = shard_group(run.strategy, run.cluster, which, inner, outer);
  return std::gcd(g.members[tier_of(run.cluster, run.cluster.devices_per_node)], g.ranks);
}

// Gradients sharded over `inner` ranks, reduced and sharded over `outer`.
template <Number R>
LevelMoves<R> reduce_gradients(const Run& run, ShardedStates which, std::int64_t elements,
                               std::int64_t inner, std::int64_t outer) {
  LevelMoves<R> moves;
  if (elements == 0 || outer <= inner) return moves;
  const double bytes = run.training.recipe.reduced;
  const auto add = [&](Collective c, std::int64_t from, std::int64_t to, const Codec& codec) {
    moves.add({c, to / from, level_cost<R>(run, which, c, elements, bytes, from, to, codec)});
  };
  if (run.strategy.zeropp.qgz == 0) {
    add(Collective::reduce_scatter, inner, outer, codec_of(run, which, Collective::reduce_scatter));
    return moves;
  }
  const Codec codec = quantizer(run.cluster.device, bytes, run.strategy.zeropp.qgz);
  const std::int64_t node = inner * ranks_in_node(run, which, inner, outer);
  add(Collective::all_to_all, inner, node, codec);
  add(Collective::all_to_all, node, outer, codec);
  return moves;
}

}  // namespace orrery
