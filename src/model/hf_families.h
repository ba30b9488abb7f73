// SPDX-License-Identifier: Apache-2.0
//
// The supported families of Hugging Face's transformers, one row each: the family's names of our
// keys, the defaults of its configuration class, and properties fixed by its code. Source:
// huggingface/transformers, src/transformers/models/<family>/ configuration_<family>.py and
// modeling_<family>.py. The defaults of plain sizes (layers, widths, vocabulary) are from memory,
// unverified: published files state them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orrery {

struct HfKey {
  std::string_view theirs;
  std::string_view ours;
  std::string_view absent = "";  // JSON text of the class's default; "": None, our default then
};

struct HfFixed {
  std::string_view ours;
  std::string_view value;  // JSON text
};

// How a family states which layers have local attention.
enum class HfWindow : std::uint8_t {
  none,
  plain,     // sliding_window on every layer
  switched,  // only with use_sliding_window, on the layers from max_window_layers on
};

struct HfFamily {
  std::string_view model_type;
  std::string_view config_class;
  bool gated;
  HfKey act;  // its default is an activation's name
  std::span<const HfKey> keys;
  std::span<const HfFixed> fixed;
  std::span<const std::string_view> dropout_keys;
  double dropout;  // the class's default for them
  HfWindow window;
};

std::span<const HfFamily> hf_families();

// Keys of a config.json that say nothing about the sizes of the model.
std::span<const std::string_view> hf_irrelevant_keys();

}  // namespace orrery
