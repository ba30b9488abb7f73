// SPDX-License-Identifier: Apache-2.0
#include "core/quote.h"

#include <algorithm>

#include "core/one_line.h"

namespace orrery {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Bytes of the character that begins with `c`; 0 of a byte that begins none.
std::size_t length_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

// Overlong forms, surrogates and what lies beyond Unicode have second bytes of their own.
bool second_is_allowed(char first, char second) {
  const auto a = static_cast<unsigned char>(first);
  const auto b = static_cast<unsigned char>(second);
  if (a == 0xe0) return b >= 0xa0;
  if (a == 0xed) return b < 0xa0;
  if (a == 0xf0) return b >= 0x90;
  return a != 0xf4 || b < 0x90;
}

bool is_character(std::string_view c, std::size_t length) {
  if (length == 0 || c.size() < length) return false;
  if (length == 1) return true;
  return std::all_of(c.begin() + 1, c.begin() + static_cast<std::ptrdiff_t>(length), continues) &&
         second_is_allowed(c[0], c[1]);
}

}  // namespace

std::string quote(std::string_view text, std::size_t most) {
  constexpr const char* kReplacement = "\xef\xbf\xbd";
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = length_of(text[at]);
    const bool whole = is_character(text.substr(at), length);
    if (out.size() + (whole ? length : 3) > most) return one_line(std::move(out)) + "…";
    out += whole ? std::string(text.substr(at, length)) : kReplacement;
    at += whole ? length : 1;
  }
  return one_line(std::move(out));
}

}  // namespace orrery
