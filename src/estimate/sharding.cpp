// SPDX-License-Identifier: Apache-2.0
#include "estimate/sharding.h"

#include <numeric>

#include "cost/memory_time.h"
#include "estimate/run.h"
#include "network/coded_cost.h"
#include "parallel/partition.h"
#include "parallel/stages.h"

namespace orrery {
namespace {

// Between elements of `bytes` and of `bits`, reading the one and writing the other.
Codec quantizer(const Device& d, double bytes, std::int64_t bits) {
  Codec c;
  c.ratio = 8 * bytes / static_cast<double>(bits);
  c.compress = c.decompress = attained_memory_bandwidth<double>(d) * (1 / (1 + 1 / c.ratio));
  return c;
}

// Ranks of one node in the group that splits what `inner` ranks share already over `outer`.
std::int64_t ranks_in_node(const Run& run, ShardedStates which, std::int64_t inner,
                           std::int64_t outer) {
  const Group g = shard_group(run.strategy, run.cluster, which, inner, outer);
  return std::gcd(g.members[tier_of(run.cluster, run.cluster.devices_per_node)], g.ranks);
}

}  // namespace

template <Number R>
CollectiveCost<R> level_cost(const Run& run, ShardedStates which, Collective collective,
                             std::int64_t elements, double bytes, std::int64_t inner,
                             std::int64_t outer, const Codec& codec, Bytes still) {
  if ((elements == 0 && still == Bytes()) || outer <= inner) return {};
  Group group = shard_group(run.strategy, run.cluster, which, inner, outer);
  const R n = count<R>(elements, {"parameters of this rank"}) /
              count<R>(inner, {"ranks the state is sharded over already"});
  BytesOf<R> buffer(n * lift<R>(bytes, {"bytes an element on the wire"}));
  if (still > Bytes()) {
    buffer += lift<R>(still, {"bytes of weights that do not train"}) /
              count<R>(inner, {"ranks the state is sharded over already"});
  }
  group.fabric_share = run.framework.network.fabric_share;
  return coded_cost<R>(run.cluster, group, collective, buffer, codec);
}

const Codec& codec_of(const Run& run, ShardedStates which, Collective c) {
  return run.compression.of(dimension_of(which), c);
}

bool gathers_again(const Framework& f, BlockType block) {
  if (f.gathers.keeps(KeptGathered::layers)) return false;
  if (kBlockFacts[block].is_layer) return true;
  return !f.gathers.keeps(block == BlockType::head ? KeptGathered::head : KeptGathered::embedding);
}

template <Number R>
LevelMoves<R> gather_weights(const Run& run, ShardedStates which, std::int64_t elements,
                             Bytes still, std::int64_t outer) {
  const double bytes = gathered_bytes(run);
  const std::int64_t bits = run.strategy.zeropp.qwz;
  const Codec codec = bits > 0 ? quantizer(run.cluster.device, bytes, bits)
                               : codec_of(run, which, Collective::all_gather);
  LevelMoves<R> moves;
  moves.add(
      {Collective::all_gather, outer,
       level_cost<R>(run, which, Collective::all_gather, elements, bytes, 1, outer, codec, still)});
  return moves;
}

template <Number R>
LevelMoves<R> gather_weights_again(const Run& run, ShardedStates which, std::int64_t elements,
                                   Bytes still, std::int64_t outer) {
  const std::int64_t copy = secondary_of(run.strategy, which);
  if (copy == 0) return gather_weights<R>(run, which, elements, still, outer);
  LevelMoves<R> moves;
  moves.add({Collective::all_gather, copy,
             level_cost<R>(run, which, Collective::all_gather, elements, gathered_bytes(run), 1,
                           copy, codec_of(run, which, Collective::all_gather), still)});
  return moves;
}

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

template <Number R>
LevelMoves<R> sum_over_replicas(const Run& run, ShardedStates which, std::int64_t elements,
                                std::int64_t owners) {
  const std::int64_t all = replicas(run.strategy, which);
  LevelMoves<R> moves;
  if (all <= owners) return moves;
  moves.add(
      {Collective::all_reduce, all / owners,
       level_cost<R>(run, which, Collective::all_reduce, elements, run.training.recipe.reduced,
                     owners, all, codec_of(run, which, Collective::all_reduce))});
  return moves;
}

template CollectiveCost<double> level_cost(const Run&, ShardedStates, Collective, std::int64_t,
                                           double, std::int64_t, std::int64_t, const Codec&, Bytes);
template LevelMoves<double> gather_weights(const Run&, ShardedStates, std::int64_t, Bytes,
                                           std::int64_t);
template LevelMoves<double> gather_weights_again(const Run&, ShardedStates, std::int64_t, Bytes,
                                                 std::int64_t);
template LevelMoves<double> reduce_gradients(const Run&, ShardedStates, std::int64_t, std::int64_t,
                                             std::int64_t);
template LevelMoves<double> sum_over_replicas(const Run&, ShardedStates, std::int64_t,
                                              std::int64_t);
template CollectiveCost<Traced> level_cost(const Run&, ShardedStates, Collective, std::int64_t,
                                           double, std::int64_t, std::int64_t, const Codec&, Bytes);
template LevelMoves<Traced> gather_weights(const Run&, ShardedStates, std::int64_t, Bytes,
                                           std::int64_t);
template LevelMoves<Traced> gather_weights_again(const Run&, ShardedStates, std::int64_t, Bytes,
                                                 std::int64_t);
template LevelMoves<Traced> reduce_gradients(const Run&, ShardedStates, std::int64_t, std::int64_t,
                                             std::int64_t);
template LevelMoves<Traced> sum_over_replicas(const Run&, ShardedStates, std::int64_t,
                                              std::int64_t);

}  // namespace orrery
