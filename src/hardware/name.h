// SPDX-License-Identifier: Apache-2.0
//
// A short name inside a plain fixed-size value: no allocation, compares by content.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/one_line.h"

namespace orrery {

inline constexpr std::size_t kLongestName = 31;

struct Name {
  std::array<char, kLongestName + 1> text{};

  constexpr std::string_view view() const { return text.data(); }
  bool operator==(const Name&) const = default;
};

// A text longer than kLongestName is cut; a control character becomes a space.
constexpr Name make_name(std::string_view text) {
  Name n;
  const std::size_t size = std::min(text.size(), kLongestName);
  std::copy_n(text.begin(), size, n.text.begin());
  clear_controls(std::span(n.text).first(size), KeptControls::none);
  return n;
}

}  // namespace orrery
