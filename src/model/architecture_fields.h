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

#include "core/enum_names.h"
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

constexpr EnumNames<Norm> names_of(Norm) { return {"layernorm", "rmsnorm"}; }
constexpr EnumNames<PositionEmbedding> names_of(PositionEmbedding) {
  return {"learned", "rope", "alibi"};
}

}  // namespace orrery
