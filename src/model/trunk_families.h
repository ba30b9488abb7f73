// SPDX-License-Identifier: Apache-2.0
//
// Families of models that are no text decoder, one row each, over one reader (trunk_import.cpp). A
// row is JSON text: the `trunk` of a model (model/trunk_keys.h) with expressions
// (core/expression.h) over the keys of the file in place of numbers.
//   classes   values of diffusers' _class_name or transformers' model_type, separated by blanks
//   needs     keys without which a file means nothing
//   defaults  of the class, where the file leaves a key out; "null": it may be left out
//   let       "name = expression", in order; "name = floor expression" rounds down
//   trunk     what is built
//   leaves_out  parts that are not modelled, for a note
// K_count is the length of a list and K[0] its first number; K_is_TEXT is 1 where a text is TEXT; a
// truth is 1 or 0; K_given is 1 where the file has K.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace orrery {

// Diffusion transformers; encoders, sound and series.
std::span<const std::string_view> diffusion_families();
std::span<const std::string_view> encoder_families();

// Models that are known and not modelled, and what they have that is not.
struct TrunkRefusal {
  std::string_view classes;
  std::string_view reason;
};
std::span<const TrunkRefusal> trunk_refusals();

}  // namespace orrery
