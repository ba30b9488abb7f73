// SPDX-License-Identifier: Apache-2.0
//
// Shared by the builders of a model that is no text decoder (Trunk): sizes of what its layers see,
// and the parts of it that need a gradient beside an adapter. Internal to the model module.
#pragma once

#include "model/layers/build.h"

namespace orrery {

inline constexpr std::int64_t kTaps = 9;  // of a convolution of 3×3

constexpr Extent elements(std::int64_t n) { return {n, 1, Axis::whole}; }

// Rows of one sample.
std::int64_t tokens_seen(const BuildContext& c, Seen seen);
// Rows of a layer, fewer in the lower levels of a U-Net.
std::int64_t tokens_of_layer(const BuildContext& c, const TrunkLayer& l);

// Parts that need a gradient: what stands before the layers (of the text, of a sample's vector);
// shifts, scales and gates; learned scales.
bool trains_ends(const ListOptions& o);
bool trains_modulation(const ListOptions& o);
bool trains_scales(const ListOptions& o);

// A layer of one kind.
void append_trunk_layer(Block& block, const BuildContext& c, const TrunkLayer& l);
// The operators that `append` adds are the teacher's: nothing is kept, and nothing flows back.
template <class Append>
void append_averaged(Block& block, const Append& append) {
  const std::uint8_t first = block.count;
  append();
  for (std::uint8_t i = first; i < block.count; ++i) {
    Operator& op = block.operators[i];
    op.weight = WeightUse::averaged;
    op.backward = Backward::never;
    op.saved_count = 0;
    op.recomputed_by = 0;
  }
}
// Heads over class tokens and masked patches, and their scores.
void append_teacher_heads(Block& block, const BuildContext& c);
void append_student_heads(Block& block, const BuildContext& c);

// The convolutions of a level (TrunkLayer::residuals).
void append_level(Block& block, const BuildContext& c, const TrunkLayer& l);

}  // namespace orrery
