// SPDX-License-Identifier: Apache-2.0
//
// Words and letters by which files list their layers. Only hf_layers.cpp uses it.
#pragma once

#include <array>
#include <string_view>

#include "model/architecture.h"

namespace orrery {

struct LayerWord {
  std::string_view theirs;
  LayerKind kind;  // of a half layer; of a whole one only the mixer counts
};
inline constexpr LayerWord kLayerWords[] = {
    {"full_attention", {Mixer::attention, Feedforward::none}},
    {"attention", {Mixer::attention, Feedforward::none}},
    {"global", {Mixer::attention, Feedforward::none}},
    {"deepseek_sparse_attention", {Mixer::attention, Feedforward::none}},
    {"minimax_m3_sparse", {Mixer::attention, Feedforward::none}},
    {"*", {Mixer::attention, Feedforward::none}},
    {"sliding_attention", {Mixer::local_attention, Feedforward::none}},
    {"chunked_attention", {Mixer::local_attention, Feedforward::none}},
    {"local", {Mixer::local_attention, Feedforward::none}},
    {"linear_attention", {Mixer::recurrent, Feedforward::none}},
    {"mamba", {Mixer::recurrent, Feedforward::none}},
    {"conv", {Mixer::recurrent, Feedforward::none}},
    {"recurrent", {Mixer::recurrent, Feedforward::none}},
    {"hybrid", {Mixer::shared, Feedforward::none}},
    {"M", {Mixer::recurrent, Feedforward::none}},
    {"moe", {Mixer::none, Feedforward::experts}},
    {"E", {Mixer::none, Feedforward::experts}},
    {"mlp", {Mixer::none, Feedforward::dense}},
    {"-", {Mixer::none, Feedforward::dense}},
};
inline constexpr auto kLayerWordNames = [] {
  std::array<std::string_view, std::size(kLayerWords)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kLayerWords[i].theirs;
  return names;
}();

}  // namespace orrery
