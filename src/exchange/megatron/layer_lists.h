// SPDX-License-Identifier: Apache-2.0
//
// Marks of all layers: a number, or a list of Python ("([0]*3+[1]*58)", "[0,1]*24", [1, 0, 1, 0]).
// Errors: InputError for a text that is no list, or a list of too many layers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/settings.h"

namespace orrery::megatron {

inline constexpr std::int64_t kMostLayers = 100'000;

// The text of a setting; nothing where it is not given.
std::optional<std::string> layer_list(Settings& settings, std::string_view name);

std::vector<bool> listed_layers(const Settings& settings, std::string_view name,
                                const std::string& text);

}  // namespace orrery::megatron
