// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/pattern.h"

#include "core/limits.h"
#include "exchange/shell/cursor.h"

namespace orrery::shell {
namespace {

// The length of the sign that a pattern begins with, "[a-z]" or "\*" or one character, and whether
// the character fits it.
struct PatternSign {
  std::size_t size = 1;
  bool fits = false;
};

PatternSign of_brackets(std::string_view pattern, char c) {
  const bool negated = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^');
  const std::size_t begin = negated ? 2 : 1;
  const std::size_t end = pattern.find(']', begin + 1);
  if (end == kNone) return {1, c == '['};
  bool found = false;
  for (std::size_t i = begin; i < end; ++i) {
    const bool range = i + 2 < end && pattern[i + 1] == '-';
    found = found || (range ? pattern[i] <= c && c <= pattern[i + 2] : pattern[i] == c);
    if (range) i += 2;
  }
  return {end + 1, found != negated};
}

PatternSign sign_of(std::string_view pattern, char c) {
  if (pattern[0] == '?') return {1, true};
  if (pattern[0] == '[') return of_brackets(pattern, c);
  if (pattern[0] == '\\' && pattern.size() > 1) return {2, pattern[1] == c};
  return {1, pattern[0] == c};
}

bool is_plain(std::string_view pattern) { return pattern.find_first_of("*?[\\") == kNone; }

// The longest beginning of a text that fits; 0 where none does.
std::size_t length_of_match(std::string_view text, std::string_view pattern) {
  if (is_plain(pattern)) return text.starts_with(pattern) ? pattern.size() : 0;
  std::size_t n = text.size();
  while (n > 0 && !matches_pattern(text.substr(0, n), pattern)) --n;
  return n;
}

}  // namespace

bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t star = kNone;  // behind the last *, and where it ends in the text
  std::size_t from = 0;
  std::size_t p = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      from = at;
      continue;
    }
    const PatternSign sign =
        p < pattern.size() ? sign_of(pattern.substr(p), text[at]) : PatternSign();
    if (sign.fits) {
      p += sign.size;
      ++at;
    } else if (star != kNone) {
      p = star;
      at = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<std::string> without_part(const std::string& value, const std::string& pattern,
                                        std::string_view sign) {
  if (value.size() + pattern.size() > kLongestExpression) return {};
  const bool front = sign[0] == '#';
  const bool longest = sign.size() > 1;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t n = longest ? value.size() - i : i;
    const std::string part = front ? value.substr(0, n) : value.substr(value.size() - n);
    if (matches_pattern(part, pattern))
      return front ? value.substr(n) : value.substr(0, value.size() - n);
  }
  return value;
}

std::optional<std::string> with_replaced(const std::string& value, const std::string& pattern,
                                         const std::string& with, std::string_view sign) {
  constexpr std::size_t kLongest = kLongestExpression / 16;  // the work is its third power
  if (!is_plain(pattern) && value.size() > kLongest) return {};
  const bool at_front = sign == "/#";
  const bool at_back = sign == "/%";
  if (pattern.empty()) return (at_front ? with : "") + value + (at_back ? with : "");
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    const std::string_view rest = std::string_view(value).substr(at);
    const std::size_t n = length_of_match(rest, pattern);
    const bool here = n > 0 && (!at_back || n == rest.size());
    if (here) {
      out += with;
      at += n;
      if (sign != "//") return out + value.substr(at);
    } else {
      out += value[at++];
    }
    if (at_front) return out + value.substr(at);
  }
  return out;
}

}  // namespace orrery::shell
