// SPDX-License-Identifier: Apache-2.0
#include "document/phrase.h"

#include <utility>

#include "core/one_line.h"

namespace orrery {

Phrase::Phrase() = default;
Phrase::Phrase(const char* text) : Phrase(std::string(text)) {}
Phrase::Phrase(std::string text) : Phrase(TextStyle::plain, std::move(text)) {}
Phrase::Phrase(TextStyle text_style, std::string text) {
  if (!text.empty()) spans_.push_back({without_controls(std::move(text)), text_style});
}
Phrase::Phrase(const Phrase& other) = default;
Phrase::Phrase(Phrase&& other) noexcept = default;
Phrase& Phrase::operator=(const Phrase& other) = default;
Phrase& Phrase::operator=(Phrase&& other) noexcept = default;
Phrase::~Phrase() = default;

Phrase& Phrase::operator+=(const Phrase& more) {
  spans_.insert(spans_.end(), more.spans_.begin(), more.spans_.end());
  return *this;
}

Phrase operator+(Phrase a, const Phrase& b) { return std::move(a += b); }

Phrase bold(std::string text) { return {TextStyle::bold, std::move(text)}; }

}  // namespace orrery
