// SPDX-License-Identifier: Apache-2.0
//
// The keys of a model file and their members of Architecture: one table for the reader and the
// writer. A count has its least and greatest legal value. The greatest, together with the check of
// the whole (model/architecture_check.cpp), keep every product of sizes within 64 bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/architecture.h"

namespace orrery {

struct CountField {
  std::string_view key;
  std::int64_t& (*of)(Architecture&);
  std::int64_t lowest;
  std::int64_t highest;
};

struct FlagField {
  std::string_view key;
  bool& (*of)(Architecture&);
};

std::span<const CountField> count_fields();
std::span<const FlagField> flag_fields();

// A value of `hidden_act`, and the defaults of other keys that go with it.
struct HiddenAct {
  std::string_view name;
  Activation activation;
  bool gated;
  Norm norm;
  bool bias;
  PositionEmbedding positions;
  bool tie_word_embeddings;
};

inline constexpr std::array<HiddenAct, 5> kHiddenActs = {{
    {"gelu", Activation::kGelu, false, Norm::kLayerNorm, true, PositionEmbedding::kLearned, true},
    {"relu", Activation::kRelu, false, Norm::kLayerNorm, true, PositionEmbedding::kLearned, true},
    {"relu2", Activation::kRelu2, false, Norm::kLayerNorm, false, PositionEmbedding::kRope, false},
    {"swiglu", Activation::kSilu, true, Norm::kRmsNorm, false, PositionEmbedding::kRope, false},
    {"geglu", Activation::kGelu, true, Norm::kRmsNorm, false, PositionEmbedding::kRope, false},
}};

inline constexpr std::array<std::string_view, 2> kNormNames = {"layernorm", "rmsnorm"};
inline constexpr std::array<std::string_view, 3> kPositionNames = {"learned", "rope", "alibi"};

constexpr std::string_view name_of(Norm n) { return kNormNames[static_cast<std::size_t>(n)]; }
constexpr std::string_view name_of(PositionEmbedding p) {
  return kPositionNames[static_cast<std::size_t>(p)];
}

}  // namespace orrery
