// SPDX-License-Identifier: Apache-2.0
//
// The blocks of each virtual stage.
//
// Chunk c of stage i is virtual stage c·p + i; virtual stages hold consecutive layers, as
// `stage_layers` lists them or as layer_split.h spreads them. The embedding and an encoder of
// images stand on the first, with `vision_stage` without layers beside them; final norm, head, loss
// and multi-token prediction on the last. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "model/architecture.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Strategy;

// The distinct blocks of a model: its kinds of layer by layer_type(), then the ends.
enum class BlockType : std::uint8_t {
  layer_0,
  layer_1,
  layer_2,
  layer_3,
  layer_4,
  layer_5,
  layer_6,
  layer_7,
  embedding,
  head,
  mtp,
  tower,
  tower_ends,
};

constexpr BlockType block_of_layer(std::size_t type) { return static_cast<BlockType>(type); }
static_assert(block_of_layer(kMaxLayerTypes) == BlockType::embedding);

// Facts of a block for sharding, prefetch and tensor parallelism.
struct BlockFacts {
  bool is_layer = false;    // gathered, computed and freed one after the other; an end stays
  bool in_decoder = false;  // passes the decoder's activations on, from layer to layer
};

inline constexpr EnumArray<BlockType, BlockFacts> kBlockFacts = {
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{.is_layer = true, .in_decoder = true},
    BlockFacts{},                                      // embedding
    BlockFacts{},                                      // head
    BlockFacts{.is_layer = true, .in_decoder = true},  // mtp
    BlockFacts{.is_layer = true},                      // tower
    BlockFacts{},                                      // tower_ends
};

using BlockCounts = EnumArray<BlockType, std::int64_t>;

BlockCounts without(const BlockCounts& all, const BlockCounts& some);
bool is_any(const BlockCounts& n);

LayerRange layers_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage);

// Layers of the virtual stage that has most of them.
std::int64_t most_layers_of_chunk(const Strategy& s, const Architecture& a);

BlockCounts blocks_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage);

// Blocks of a virtual stage whose forward runs again, whole or in part. All others keep what they
// save.
struct RecomputedBlocks {
  BlockCounts full{};
  BlockCounts selective{};
  // All blocks whose states a range shards otherwise, and those of them that run again.
  BlockCounts resharded{};
  BlockCounts resharded_full{};
  BlockCounts resharded_selective{};

  bool operator==(const RecomputedBlocks&) const = default;
};

// Full recompute is of all layers, or by `block` of the first n; selective of every block. Ranges
// of layers may differ (layer_rules.h). `blocks`: those of the virtual stage.
RecomputedBlocks recomputed_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage,
                               const BlockCounts& blocks);

// The same of a whole model with these blocks, no more than of any spread over a pipeline.
RecomputedBlocks least_recomputed(const Strategy& s, const Architecture& a,
                                  const BlockCounts& blocks);

// The recompute of one layer, as far as no `block` counts from its chunk's first.
Recompute recompute_of_layer(const Strategy& s, const Architecture& a, std::int64_t layer);

}  // namespace orrery
