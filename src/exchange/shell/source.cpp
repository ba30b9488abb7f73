// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/source.h"

#include <algorithm>

#include "core/error.h"
#include "exchange/shell/expansion.h"

namespace orrery::shell {
namespace {

constexpr std::string_view kEndsWord = " \t\r\n;|&<>()";

}  // namespace

void ScriptText::fail(const std::string& found) const {
  throw InputError(ErrorCode::malformed, *file_, "line " + std::to_string(line_), found,
                   "a shell script");
}

void ScriptText::move_to(std::size_t at) {
  at = std::min(at, text_.size());
  line_ +=
      static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                          text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  at_ = at;
}

void ScriptText::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const std::string_view next = text_.substr(at_, 3);
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (next.substr(0, 2) == "\\\n") {
      move_to(at_ + 2);
    } else if (next == "\\\r\n") {
      move_to(at_ + 3);
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool ScriptText::at_end() {
  skip_blanks();
  return at_ >= text_.size();
}

bool ScriptText::at_sign(std::string_view sign) {
  skip_blanks();
  return text_.substr(at_, sign.size()) == sign;
}

bool ScriptText::take_sign(std::string_view sign) {
  if (!at_sign(sign)) return false;
  move_to(at_ + sign.size());
  return true;
}

bool ScriptText::touches_redirection() const {
  return at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>');
}

bool ScriptText::at_line_end() { return at_end() || text_[at_] == '\n'; }

std::size_t ScriptText::end_of_word() const {
  std::size_t at = at_;
  while (at < text_.size() && kEndsWord.find(text_[at]) == std::string_view::npos) {
    const char c = text_[at];
    if (c == '\\') {
      at += 2;
    } else if (c == '\'' || c == '"' || c == '`' || c == '$') {
      at = end_of_group(text_, at);
      if (at == std::string_view::npos)
        fail("a quote or bracket that does not end within 64 levels");
    } else {
      ++at;
    }
  }
  return std::min(at, text_.size());
}

std::string ScriptText::peek() {
  skip_blanks();
  return std::string(text_.substr(at_, end_of_word() - at_));
}

std::string ScriptText::word() {
  std::string word = peek();
  move_to(at_ + word.size());
  return word;
}

bool ScriptText::take_word(std::string_view wanted) {
  if (peek() != wanted) return false;
  word();
  return true;
}

void ScriptText::skip_lines() {
  for (;;) {
    if (at_end()) return;
    const char c = text_[at_];
    if (c != '\n' && c != ';' && c != '&' && c != '|') return;
    if (text_.substr(at_, 2) == ";;") return;
    if (c == '\n' && !awaited_.empty()) return;
    move_to(at_ + 1);
  }
}

std::string_view ScriptText::until(char open, char close) {
  const std::size_t end = closing(text_, at_, open, close);
  if (end == std::string_view::npos) fail(std::string("\"") + open + "\" that does not end");
  const std::string_view inside = text_.substr(at_, end - at_);
  move_to(end + 1);
  return inside;
}

std::string_view ScriptText::line_rest() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view rest = text_.substr(at_, end - at_);
  move_to(end);
  return rest;
}

std::string_view ScriptText::take_line() {
  const std::string_view line = line_rest();
  move_to(at_ + 1);
  return line.substr(0, line.find('\r'));
}

std::vector<HereDocument> ScriptText::documents() {
  std::vector<HereDocument> read;
  if (awaited_.empty()) return read;
  take_line();
  for (HereDocument& d : awaited_) {
    for (;;) {
      if (at_ >= text_.size()) fail("<<" + d.end + " that does not end");
      std::string_view line = take_line();
      if (d.unindent) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == d.end) break;
      d.text += std::string(line) + "\n";
    }
    read.push_back(std::move(d));
  }
  awaited_.clear();
  return read;
}

std::string with_placeholders(std::string_view text) {
  constexpr std::string_view kInside =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./,:'";
  constexpr std::string_view kBefore = " \t\n=\"'/";
  constexpr std::string_view kBehind = " \t\r\n\"'\\/_;";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '<' ? text.find_first_not_of(kInside, at + 1) : at;
    const bool closed = end != at && end < text.size() && text[end] == '>' && end > at + 1 &&
                        std::isalpha(static_cast<unsigned char>(text[at + 1])) != 0 &&
                        text[end - 1] != ' ';
    const bool apart =
        closed && (at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos) &&
        (end + 1 == text.size() || kBehind.find(text[end + 1]) != std::string_view::npos);
    if (!apart) {
      out += text[at++];
      continue;
    }
    out += "${_";
    for (std::size_t i = at + 1; i < end; ++i)
      out += std::isalnum(static_cast<unsigned char>(text[i])) != 0 ? text[i] : '_';
    out += "}";
    at = end + 1;
  }
  return out;
}

}  // namespace orrery::shell
