// SPDX-License-Identifier: Apache-2.0
//
// Counts as people write them: "300B", "15 T", "1.5M" are 3·10¹¹, 1.5·10¹³ and 1.5·10⁶. K is left
// out, because of a length it may be 1,000 or 1,024. Errors: none; nothing where it is no such
// text.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/key_form.h"
#include "core/units.h"

namespace orrery {

struct Magnitude {
  char letter;
  double factor;
};
inline constexpr std::array kMagnitudes = {Magnitude{'M', 1e6}, Magnitude{'B', 1e9},
                                           Magnitude{'T', 1e12}};

inline std::optional<double> parse_count(std::string_view text) {
  for (const Magnitude& m : kMagnitudes) {
    if (text.empty() || text.back() != m.letter) continue;
    std::string_view digits = text.substr(0, text.size() - 1);
    while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
    const std::optional<double> number = parse_number(digits);
    return number ? std::optional(*number * m.factor) : std::nullopt;
  }
  return parse_number(text);
}

// The tokens of a training or a purchase: a length of a sample has less than these.
constexpr bool takes_magnitude(const Form& f) {
  constexpr double kMostOfSample = 1e12;
  return f.unit == "tokens" &&
         (f.kind == FormKind::whole ? static_cast<double>(f.highest) > kMostOfSample
                                    : f.kind == FormKind::number && f.most > kMostOfSample);
}

}  // namespace orrery
