// SPDX-License-Identifier: Apache-2.0
//
// A short name inside a plain fixed-size value: no allocation, compares by content.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orrery {

inline constexpr std::size_t kLongestName = 31;

struct Name {
  std::array<char, kLongestName + 1> text{};

  constexpr std::string_view view() const { return text.data(); }
  bool operator==(const Name&) const = default;
};

// A text longer than kLongestName is cut.
constexpr Name make_name(std::string_view text) {
  Name n;
  for (std::size_t i = 0; i < text.size() && i < kLongestName; ++i) n.text[i] = text[i];
  return n;
}

}  // namespace orrery
