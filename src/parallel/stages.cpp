// SPDX-License-Identifier: Apache-2.0
#include "parallel/stages.h"

#include <algorithm>

#include "parallel/strategy.h"

namespace orrery {
namespace {

// Layers before virtual stage j when they are spread evenly: the `rest` extra ones go to virtual
// stages 1, 2, … (and to stage 0 last of all).
std::int64_t layers_before(std::int64_t layers, std::int64_t parts, std::int64_t j) {
  const std::int64_t each = layers / parts;
  const std::int64_t rest = layers % parts;
  return j * each + std::clamp<std::int64_t>(j - 1, 0, rest);
}

std::int64_t stated_before(const Strategy& s, std::int64_t j) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < j; ++i) sum += s.stage_layers[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace

LayerRange layers_of(const Strategy& s, std::int64_t layers, std::int64_t virtual_stage) {
  if (!s.even_stages) return {stated_before(s, virtual_stage), stated_before(s, virtual_stage + 1)};
  const std::int64_t without = s.vision_stage ? 1 : 0;
  const std::int64_t parts = s.pp * s.vpp - without;
  const std::int64_t part = virtual_stage - without;
  if (part < 0) return {};
  const std::int64_t end = part + 1 == parts ? layers : layers_before(layers, parts, part + 1);
  return {layers_before(layers, parts, part), end};
}

BlockCounts blocks_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage) {
  BlockCounts n{};
  const LayerRange range = layers_of(s, a.layers, virtual_stage);
  for (std::int64_t i = range.first; i < range.end; ++i) ++n[layer_type(a, i)];
  if (virtual_stage == 0) {
    n[kEmbeddingBlock] = 1;
    n[kTowerBlock] = a.tower.layers;
    n[kTowerEndsBlock] = a.tower.layers > 0 ? 1 : 0;
  }
  if (virtual_stage + 1 == s.pp * s.vpp) {
    n[kHeadBlock] = 1;
    n[kMtpBlock] = a.mtp_layers;
  }
  return n;
}

BlockCounts replayed_of(const Strategy& s, const Architecture& a, std::int64_t virtual_stage) {
  BlockCounts n{};
  if (s.recompute != Recompute::full) return n;
  const bool all = s.recompute_method == RecomputeMethod::uniform || s.recompute_layers == 0;
  const LayerRange range = layers_of(s, a.layers, virtual_stage);
  const std::int64_t end = all ? range.end : std::min(range.end, range.first + s.recompute_layers);
  for (std::int64_t i = range.first; i < end; ++i) ++n[layer_type(a, i)];
  if (all && virtual_stage == 0) n[kTowerBlock] = a.tower.layers;
  if (all && virtual_stage + 1 == s.pp * s.vpp) n[kMtpBlock] = a.mtp_layers;
  return n;
}

}  // namespace orrery
