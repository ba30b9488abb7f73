// SPDX-License-Identifier: Apache-2.0
//
// Ranges of layers with a recompute of their own (`parallel.layers` of a run file).
//
// A range is layers by number, or those with or without experts. The last range that holds a layer
// counts; layers that no range holds have the run's. Embedding, head, multi-token prediction and
// the encoder of images always have the run's. Errors: none; rules.h judges.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/enum_names.h"
#include "parallel/strategy_choices.h"

namespace orrery {

enum class LayerKindOf : std::uint8_t { any, dense, experts };
constexpr EnumNames<LayerKindOf> names_of(LayerKindOf) { return {"any", "dense", "experts"}; }

inline constexpr std::int16_t kLastLayer = 32767;

struct LayerRule {
  std::int16_t first = 0;
  std::int16_t end = kLastLayer;
  LayerKindOf of = LayerKindOf::any;
  Recompute recompute = Recompute::none;

  bool operator==(const LayerRule&) const = default;
};

inline constexpr std::size_t kMostLayerRules = 8;

struct LayerRules {
  std::array<LayerRule, kMostLayerRules> rules{};
  std::uint8_t count = 0;

  bool operator==(const LayerRules&) const = default;
};

constexpr bool has_rule_of(const LayerRules& all, Recompute recompute) {
  for (std::uint8_t i = 0; i < all.count; ++i) {
    if (all.rules[i].recompute == recompute) return true;
  }
  return false;
}

constexpr bool is_of_kind(const LayerRule& r, bool has_experts) {
  return r.of == LayerKindOf::any || (r.of == LayerKindOf::experts) == has_experts;
}

constexpr Recompute recompute_of_layer(const LayerRules& all, std::int64_t layer, bool has_experts,
                                       Recompute otherwise) {
  for (std::size_t i = all.count; i-- > 0;) {
    const LayerRule& r = all.rules[i];
    if (layer >= r.first && layer < r.end && is_of_kind(r, has_experts)) return r.recompute;
  }
  return otherwise;
}

// "0-9", "dense"
std::string range_text(const LayerRule& rule);

// "0-9 full, experts selective"
std::string range_words(const LayerRules& rules);

}  // namespace orrery
