// SPDX-License-Identifier: Apache-2.0
//
// Ranges of layers with a recompute or a sharding of states of their own (`parallel.layers` of a
// run file).
//
// A range is layers by number, those with or without experts, the embedding or the head, whose
// activations stay as the run has them. For each of both settings the last range that holds a layer
// and sets it counts; layers that no range holds have the run's, as multi-token prediction and the
// encoder of images always do. All ranges together have one stage of ZeRO beside the run's. Errors:
// none; rules.h judges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/enum_names.h"
#include "parallel/strategy_choices.h"

namespace orrery {

enum class LayerKindOf : std::uint8_t { any, dense, experts, embedding, head };
constexpr EnumNames<LayerKindOf> names_of(LayerKindOf) {
  return {"any", "dense", "experts", "embedding", "head"};
}

inline constexpr std::int16_t kLastLayer = 32767;

struct LayerRule {
  std::int16_t first = 0;
  std::int16_t end = kLastLayer;
  LayerKindOf of = LayerKindOf::any;
  std::optional<Recompute> recompute{};
  std::optional<std::int8_t> zero{};  // 0 to 3

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
  switch (r.of) {
    case LayerKindOf::any:
      return true;
    case LayerKindOf::dense:
      return !has_experts;
    case LayerKindOf::experts:
      return has_experts;
    case LayerKindOf::embedding:
    case LayerKindOf::head:
      return false;
  }
  return false;
}

constexpr bool is_end(const LayerRule& r) {
  return r.of == LayerKindOf::embedding || r.of == LayerKindOf::head;
}

constexpr Recompute recompute_of_layer(const LayerRules& all, std::int64_t layer, bool has_experts,
                                       Recompute otherwise) {
  for (std::size_t i = all.count; i-- > 0;) {
    const LayerRule& r = all.rules[i];
    if (r.recompute && layer >= r.first && layer < r.end && is_of_kind(r, has_experts)) {
      return *r.recompute;
    }
  }
  return otherwise;
}

constexpr std::int64_t zero_of_layer(const LayerRules& all, std::int64_t layer, bool has_experts,
                                     std::int64_t otherwise) {
  for (std::size_t i = all.count; i-- > 0;) {
    const LayerRule& r = all.rules[i];
    if (r.zero && layer >= r.first && layer < r.end && is_of_kind(r, has_experts)) return *r.zero;
  }
  return otherwise;
}

constexpr std::int64_t zero_of_end(const LayerRules& all, LayerKindOf end, std::int64_t otherwise) {
  for (std::size_t i = all.count; i-- > 0;) {
    if (all.rules[i].zero && all.rules[i].of == end) return *all.rules[i].zero;
  }
  return otherwise;
}

// The stage of ZeRO of the ranges that have another than `own`; nothing where none has.
constexpr std::optional<std::int64_t> other_zero(const LayerRules& all, std::int64_t own) {
  for (std::uint8_t i = 0; i < all.count; ++i) {
    if (all.rules[i].zero && *all.rules[i].zero != own) return *all.rules[i].zero;
  }
  return {};
}

// "0-9", "dense"
std::string range_text(const LayerRule& rule);

// "0-9 full, experts selective ZeRO 3"
std::string range_words(const LayerRules& rules);

}  // namespace orrery
