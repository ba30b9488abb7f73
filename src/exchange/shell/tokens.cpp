// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/tokens.h"

#include <algorithm>
#include <utility>

#include "exchange/shell/parse.h"

namespace orrery::shell {

char Tokens::next() {
  c_.skip_blanks();
  return c_.next();
}

std::string Tokens::peek() {
  c_.skip_blanks();
  Cursor ahead = c_;
  return parse_word(ahead).written;
}

Word Tokens::word() {
  c_.skip_blanks();
  return parse_word(c_);
}

bool Tokens::take_word(std::string_view wanted) {
  c_.skip_blanks();
  if (!c_.sees(wanted) || peek() != wanted) return false;
  c_.move(wanted.size());
  return true;
}

void Tokens::expect(std::string_view wanted, const char* part) {
  separators();
  if (!take_word(wanted)) c_.fail(std::string(part) + " without \"" + std::string(wanted) + "\"");
}

bool Tokens::ends_part() {
  static constexpr std::string_view kEnds[] = {"fi",   "else", "elif", "done",
                                               "esac", "then", "do",   "}"};
  return std::string_view("fedt}").find(next()) != kNone && is_in(peek(), kEnds);
}

void Tokens::separators() {
  while (!at_end()) {
    const char c = c_.next();
    if (c == '\n') {
      c_.move(1);
      documents();
    } else if ((c == ';' && c_.next(1) != ';' && c_.next(1) != '&') || c == '&' || c == '|') {
      c_.move(1);
    } else {
      return;
    }
  }
}

std::string_view Tokens::in_brackets() {
  const std::size_t end = closing(c_.text(), c_.at(), '(', ')');
  if (end == kNone) c_.fail("\"(\" that does not end");
  const std::string_view inside = c_.text().substr(c_.at(), end - c_.at());
  c_.move(inside.size() + 1);
  return inside;
}

void Tokens::documents() {
  for (Awaited& d : std::exchange(awaited_, {})) {
    std::string text;
    for (;;) {
      if (c_.ended()) c_.fail("<<" + d.end + " that does not end");
      std::string_view each = c_.take_line();
      if (d.unindent) each.remove_prefix(std::min(each.find_first_not_of('\t'), each.size()));
      if (each == d.end) break;
      text.append(each).append("\n");
    }
    Redirection& r = d.command->redirections[d.at];
    r.line = c_.line();
    r.word = d.quoted ? Word{text, {{WordPart::Kind::literal, true, text}}}
                      : parse_quoted(c_.inside(text));
  }
}

}  // namespace orrery::shell
