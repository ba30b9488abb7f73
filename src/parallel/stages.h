// SPDX-License-Identifier: Apache-2.0
//
// The blocks of each virtual stage.
//
// Chunk c of stage i is virtual stage c·p + i; virtual stages hold consecutive layers, as
// `stage_layers` lists them or as layer_split.h spreads them. The embedding and an encoder of
// images stand on the first, with `vision_stage` without layers beside them; final norm, head, loss
// and multi-token prediction on the last. Errors: none.
#pragma once

#include <array>
#include <cstdint>

#include "model/architecture.h"

namespace orrery {

struct Strategy;

// Distinct blocks of a model: the layer types in front (layer_type()), then the ends.
inline constexpr std::size_t kEmbeddingBlock = kMaxLayerTypes;
inline constexpr std::size_t kHeadBlock = kMaxLayerTypes + 1;
inline constexpr std::size_t kMtpBlock = kMaxLayerTypes + 2;
inline constexpr std::size_t kTowerBlock = kMaxLayerTypes + 3;
inline constexpr std::size_t kTowerEndsBlock = kMaxLayerTypes + 4;
inline constexpr std::size_t kBlockTypes = kMaxLayerTypes + 5;

using BlockCounts = std::array<std::int64_t, kBlockTypes>;

LayerRange layers_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage);

BlockCounts blocks_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage);

// Blocks whose forward full recompute runs again: all layers, or by `block` the first n.
BlockCounts replayed_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage);

}  // namespace orrery
