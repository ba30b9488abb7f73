// SPDX-License-Identifier: Apache-2.0
//
// The dimensions of a strategy along which a GPU talks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

enum class CommDimension : std::uint8_t { tp, cp, ep, etp, pp, embedding, dp, edp };
inline constexpr std::size_t kCommDimensions = 8;
inline constexpr std::array<std::string_view, kCommDimensions> kCommDimensionNames = {
    "tp", "cp", "ep", "etp", "pp", "embedding", "dp", "edp"};

}  // namespace orrery
