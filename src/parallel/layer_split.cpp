// SPDX-License-Identifier: Apache-2.0
#include "parallel/layer_split.h"

#include <algorithm>

namespace orrery {
namespace {

std::int64_t even_before(std::int64_t layers, std::int64_t parts, std::int64_t j) {
  const std::int64_t each = layers / parts;
  const std::int64_t rest = layers % parts;
  return j * each + std::clamp<std::int64_t>(j - 1, 0, rest);
}

// The embedding is number 0, the head layers + 1.
std::int64_t beside_ends_before(std::int64_t layers, std::int64_t parts, std::int64_t j) {
  const std::int64_t all = layers + 2;
  const std::int64_t before = j * (all / parts) + std::min(j, all % parts);
  return std::clamp<std::int64_t>(before - 1, 0, layers);
}

}  // namespace

LayerRange even_layers(std::int64_t layers, std::int64_t parts, std::int64_t part) {
  const std::int64_t end = part + 1 == parts ? layers : even_before(layers, parts, part + 1);
  return {even_before(layers, parts, part), end};
}

LayerRange layers_beside_ends(std::int64_t layers, std::int64_t parts, std::int64_t part) {
  return {beside_ends_before(layers, parts, part), beside_ends_before(layers, parts, part + 1)};
}

double layer_cost(const Architecture& a) {
  const std::int64_t width =
      is_moe(a) ? a.moe.top_k * a.moe.expert_intermediate + a.moe.shared_intermediate
                : a.intermediate;
  const std::int64_t rows = 4 * a.heads * a.head_dim + (a.gated ? 3 : 2) * width;
  return static_cast<double>(a.hidden) * static_cast<double>(rows);
}

LayerRange layers_by_cost(const Architecture& a, std::int64_t parts, std::int64_t part) {
  const double cost = layer_cost(a);
  if (cost == 0) return even_layers(a.layers, parts, part);
  const double head = static_cast<double>(a.vocab) * static_cast<double>(a.hidden);
  const double share = (static_cast<double>(a.layers) + head / cost) / static_cast<double>(parts);
  LayerRange range;
  for (std::int64_t j = 0; j <= part; ++j) {
    const auto past = static_cast<std::int64_t>(share * static_cast<double>(j + 1)) + 1;
    range = {range.end, std::min(a.layers, std::max(range.end + 1, past))};
  }
  return range;
}

}  // namespace orrery
