// SPDX-License-Identifier: Apache-2.0
//
// A text with ink: what a heading, a paragraph or a cell says, before anybody draws it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "core/one_line.h"

namespace orrery {

enum class Ink : std::uint8_t { plain, bold, dim, red, green, yellow, blue };
constexpr EnumNames<Ink> names_of(Ink) {
  return {"plain", "bold", "dim", "red", "green", "yellow", "blue"};
}

struct InkSpan {
  std::string text;
  Ink ink = Ink::plain;
};

class Phrase {
 public:
  Phrase() = default;
  Phrase(const char* text) : Phrase(std::string(text)) {}            // NOLINT
  Phrase(std::string text) : Phrase(Ink::plain, std::move(text)) {}  // NOLINT
  Phrase(Ink ink, std::string text) {
    if (!text.empty()) spans_.push_back({without_controls(std::move(text)), ink});
  }

  const std::vector<InkSpan>& spans() const { return spans_; }
  bool empty() const { return spans_.empty(); }

  Phrase& operator+=(const Phrase& more) {
    spans_.insert(spans_.end(), more.spans_.begin(), more.spans_.end());
    return *this;
  }
  friend Phrase operator+(Phrase a, const Phrase& b) { return std::move(a += b); }

 private:
  std::vector<InkSpan> spans_;
};

inline Phrase bold(std::string text) { return {Ink::bold, std::move(text)}; }

}  // namespace orrery
