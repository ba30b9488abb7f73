// SPDX-License-Identifier: Apache-2.0
//
// A text with ink: what a heading, a paragraph or a cell says, before anybody draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

enum class TextStyle : std::uint8_t { plain, bold, dim, red, green, yellow, blue };
constexpr EnumNames<TextStyle> names_of(TextStyle) {
  return {"plain", "bold", "dim", "red", "green", "yellow", "blue"};
}

struct StyledSpan {
  std::string text;
  TextStyle text_style = TextStyle::plain;
};

class Phrase {
 public:
  Phrase();
  Phrase(const char* text);  // NOLINT
  Phrase(std::string text);  // NOLINT
  Phrase(TextStyle text_style, std::string text);
  Phrase(const Phrase& other);
  Phrase(Phrase&& other) noexcept;
  Phrase& operator=(const Phrase& other);
  Phrase& operator=(Phrase&& other) noexcept;
  ~Phrase();

  const std::vector<StyledSpan>& spans() const { return spans_; }
  bool empty() const { return spans_.empty(); }

  Phrase& operator+=(const Phrase& more);
  friend Phrase operator+(Phrase a, const Phrase& b);

 private:
  std::vector<StyledSpan> spans_;
};

Phrase bold(std::string text);

}  // namespace orrery
