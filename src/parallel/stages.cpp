// SPDX-License-Identifier: Apache-2.0
#include "parallel/stages.h"

#include <algorithm>

#include "core/divide.h"
#include "parallel/layer_split.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

std::int64_t stated_before(const Strategy& s, std::int64_t j) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < j; ++i) sum += s.stage_layers[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace

BlockCounts without(const BlockCounts& all, const BlockCounts& some) {
  BlockCounts rest{};
  for (const BlockType i : kAllOf<BlockType>) rest[i] = all[i] - some[i];
  return rest;
}

bool is_any(const BlockCounts& n) {
  return std::any_of(n.begin(), n.end(), [](std::int64_t of_kind) { return of_kind > 0; });
}

LayerRange layers_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage) {
  if (s.listed_stages)
    return {stated_before(s, virtual_stage), stated_before(s, virtual_stage + 1)};
  const std::int64_t parts = s.pp * s.vpp;
  if (s.vision_stage) {
    return virtual_stage == 0 ? LayerRange{} : even_layers(a.layers, parts - 1, virtual_stage - 1);
  }
  switch (s.layer_split) {
    case LayerSplit::even:
      return even_layers(a.layers, parts, virtual_stage);
    case LayerSplit::ends_as_layers:
      return layers_beside_ends(a.layers, parts, virtual_stage);
    case LayerSplit::by_cost:
      return layers_by_cost(a, parts, virtual_stage);
  }
  return {};
}

std::int64_t most_layers_of_chunk(const Strategy& s, const Architecture& a) {
  const std::int64_t chunks = s.pp * s.vpp;
  if (s.layer_split == LayerSplit::even && !s.listed_stages) {
    return divided_up(a.layers, std::max<std::int64_t>(1, chunks - (s.vision_stage ? 1 : 0)));
  }
  // The embedding and the head may stand for a layer each; with more chunks some hold nothing,
  // which a rule refuses.
  if (chunks > a.layers + 2) return 1;
  std::int64_t most = 0;
  for (std::int64_t j = 0; j < chunks; ++j) {
    const LayerRange range = layers_of(s, a, j);
    most = std::max(most, range.end - range.first);
  }
  return most;
}

BlockCounts blocks_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage) {
  BlockCounts n{};
  const LayerRange range = layers_of(s, a, virtual_stage);
  for (std::int64_t i = range.first; i < range.end; ++i) ++n[block_of_layer(layer_type(a, i))];
  if (virtual_stage == 0) {
    n[BlockType::embedding] = 1;
    n[BlockType::tower] = a.tower.layers;
    n[BlockType::tower_ends] = a.tower.layers > 0 ? 1 : 0;
  }
  if (virtual_stage + 1 == s.pp * s.vpp) {
    n[BlockType::head] = 1;
    n[BlockType::mtp] = a.mtp_layers;
  }
  return n;
}

namespace {

// Moves layers that a range covers from what the run has to what the range has.
void take_ranges(const Strategy& s, const Architecture& a, const LayerRange& layers,
                 RecomputedBlocks& n) {
  if (s.layers.count == 0) return;
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    n.full[block_of_layer(type)] = n.selective[block_of_layer(type)] = 0;
  }
  for (std::int64_t i = layers.first; i < layers.end; ++i) {
    const BlockType type = block_of_layer(layer_type(a, i));
    switch (recompute_of_layer(s, a, i)) {
      case Recompute::none:
        break;
      case Recompute::selective:
        ++n.selective[type];
        break;
      case Recompute::full:
        ++n.full[type];
        break;
    }
  }
}

void reshard_end(const Strategy& s, LayerKindOf kind, BlockType end, RecomputedBlocks& n) {
  if (zero_of_end(s.layers, kind, s.zero) == s.zero) return;
  n.resharded[end] = 1;
  n.resharded_selective[end] = n.selective[end];
}

// Blocks of the stage whose states a range shards otherwise than the run.
void take_shardings(const Strategy& s, const Architecture& a, std::int64_t virtual_stage,
                    const LayerRange& layers, RecomputedBlocks& n) {
  if (!other_zero(s.layers, s.zero)) return;
  for (std::int64_t i = layers.first; i < layers.end; ++i) {
    if (zero_of_layer(s.layers, i, has_experts(a, i), s.zero) == s.zero) continue;
    const BlockType type = block_of_layer(layer_type(a, i));
    const Recompute again = recompute_of_layer(s, a, i);
    ++n.resharded[type];
    n.resharded_full[type] += again == Recompute::full ? 1 : 0;
    n.resharded_selective[type] += again == Recompute::selective ? 1 : 0;
  }
  if (virtual_stage == 0) reshard_end(s, LayerKindOf::embedding, BlockType::embedding, n);
  if (virtual_stage + 1 == s.pp * s.vpp) reshard_end(s, LayerKindOf::head, BlockType::head, n);
}

bool replays_all_layers(const Strategy& s) {
  return s.recompute_method == RecomputeMethod::uniform || s.recompute_layers == 0;
}

}  // namespace

Recompute recompute_of_layer(const Strategy& s, const Architecture& a, std::int64_t layer) {
  return recompute_of_layer(s.layers, layer, has_experts(a, layer), s.recompute);
}

RecomputedBlocks recomputed_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage,
                               const BlockCounts& blocks) {
  RecomputedBlocks n;
  const LayerRange range = layers_of(s, a, virtual_stage);
  if (s.recompute == Recompute::selective) n.selective = blocks;
  if (s.recompute == Recompute::full) {
    const bool all = replays_all_layers(s);
    const std::int64_t end =
        all ? range.end : std::min(range.end, range.first + s.recompute_layers);
    for (std::int64_t i = range.first; i < end; ++i) ++n.full[block_of_layer(layer_type(a, i))];
    if (all && virtual_stage == 0) n.full[BlockType::tower] = a.tower.layers;
    if (all && virtual_stage + 1 == s.pp * s.vpp) n.full[BlockType::mtp] = a.mtp_layers;
  }
  take_ranges(s, a, range, n);
  take_shardings(s, a, virtual_stage, range, n);
  return n;
}

RecomputedBlocks least_recomputed(const Strategy& s, const Architecture& a,
                                  const BlockCounts& blocks) {
  RecomputedBlocks n;
  if (s.recompute == Recompute::selective) n.selective = blocks;
  if (s.recompute == Recompute::full && s.recompute_method == RecomputeMethod::uniform) {
    for (const BlockType i : kAllOf<BlockType>) {
      if (kBlockFacts[i].is_layer) n.full[i] = blocks[i];
    }
  }
  take_ranges(s, a, {0, a.layers}, n);
  return n;
}

}  // namespace orrery
