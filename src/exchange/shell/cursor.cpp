// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/cursor.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/limits.h"

namespace orrery::shell {

void Cursor::fail(const std::string& found) const {
  throw InputError(ErrorCode::malformed, *file_, "line " + std::to_string(line_), found,
                   "a shell script");
}

void Cursor::move(std::size_t n) {
  const std::string_view passed = text_.substr(at_, n);
  line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
  at_ += passed.size();
}

void Cursor::skip_blanks() {
  for (;;) {
    if (next() == ' ' || next() == '\t' || next() == '\r') {
      move(1);
    } else if (sees("\\\n")) {
      move(2);
    } else if (sees("\\\r\n")) {
      move(3);
    } else if (next() == '#') {
      move(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else {
      return;
    }
  }
}

bool Cursor::take_sign(std::string_view sign) {
  skip_blanks();
  if (!sees(sign)) return false;
  move(sign.size());
  return true;
}

std::string_view Cursor::take_line() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, end - at_);
  move(line.size() + 1);
  return line.substr(0, line.find('\r'));
}

Deeper::Deeper(Cursor& cursor) : cursor_(cursor) {
  if (cursor_.depth_ >= kDeepestNesting) cursor_.fail("commands nested deeper than 64");
  ++cursor_.depth_;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_character(text[at])) ++at;
  return at;
}

std::size_t closing(std::string_view text, std::size_t at, char open, char close) {
  bool quoted = false;  // in double quotes
  for (int depth = 1; at < text.size() && depth <= kDeepestNesting; ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == '\'' && !quoted) {
      at = std::min(text.find('\'', at + 1), text.size());
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The words that $(…) prints are not known to have blanks.
std::size_t end_of_split_word(std::string_view text, std::size_t at) {
  while (at < text.size() && kBlanks.find(text[at]) == kNone) {
    const bool group = text.substr(at, 2) == "$(";
    const std::size_t end = group ? closing(text, at + 2, '(', ')') : kNone;
    at = end == kNone ? at + 1 : end + 1;
  }
  return at;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();) {
    const std::size_t end = end_of_split_word(text, at);
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

namespace {

// The end of a placeholder that begins at `at`; npos where there is none.
std::size_t end_of_placeholder(std::string_view text, std::size_t at) {
  constexpr std::string_view kInside =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./,:'";
  constexpr std::string_view kBefore = " \t\n=\"'/";
  constexpr std::string_view kBehind = " \t\r\n\"'\\/_;";
  const std::size_t end = text.find_first_not_of(kInside, at + 1);
  const bool closed = end < text.size() && text[end] == '>' && end > at + 1 &&
                      std::isalpha(static_cast<unsigned char>(text[at + 1])) != 0 &&
                      text[end - 1] != ' ';
  const bool apart =
      closed && (at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos) &&
      (end + 1 == text.size() || kBehind.find(text[end + 1]) != std::string_view::npos);
  return apart ? end : std::string_view::npos;
}

}  // namespace

std::string with_placeholders(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '<' ? end_of_placeholder(text, at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[at];
      continue;
    }
    out += "${_";
    for (const char c : text.substr(at + 1, end - at - 1))
      out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    out += "}";
    at = end;
  }
  return out;
}

}  // namespace orrery::shell
