// SPDX-License-Identifier: Apache-2.0
//
// Texts of files as a terminal may show them: a control character moves a cursor, starts a line or
// colours what follows, so each becomes a space; those of Unicode (U+0080 to U+009F) become two.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace orrery {

enum class KeptControls : bool { none, lines_and_tabs };

constexpr void clear_controls(std::span<char> text, KeptControls kept) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (kept == KeptControls::lines_and_tabs && (c == '\n' || c == '\t')) continue;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (byte(i) < 0x20 || byte(i) == 0x7f) text[i] = ' ';
    if (byte(i) == 0xc2 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0) {
      text[i] = text[i + 1] = ' ';
    }
  }
}

inline std::string one_line(std::string text) {
  clear_controls(text, KeptControls::none);
  return text;
}

inline std::string without_controls(std::string text) {
  clear_controls(text, KeptControls::lines_and_tabs);
  return text;
}

}  // namespace orrery
