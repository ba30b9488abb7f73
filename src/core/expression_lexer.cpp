// SPDX-License-Identifier: Apache-2.0
#include "core/expression_lexer.h"

#include <array>

#include "core/error.h"
#include "core/units.h"

namespace orrery::detail {
namespace {

constexpr std::array<Dimension, 7> kUnitDimensions = {
    kBytes, kBytes - kSeconds, kSeconds, kFlops, kFlops - kSeconds, kJoules, kJoules - kSeconds,
};
// Longest first.
constexpr std::array<std::string_view, 14> kSigns = {"<=", ">=", "==", "!=", "<", ">", "+",
                                                     "-",  "*",  "/",  "^",  "(", ")", ","};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
// µ is two bytes beyond ASCII.
bool is_unit_letter(char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

std::vector<std::string> all_units() {
  std::vector<std::string> names;
  for (const Dimension d : kUnitDimensions) {
    for (std::string& name : units_of(d)) names.push_back(std::move(name));
  }
  return names;
}

class Lexer {
 public:
  Lexer(std::string_view text, const ExpressionPlace& place) : text_(text), place_(place) {}

  std::vector<Token> tokens() {
    std::vector<Token> list;
    for (;;) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      list.push_back(next());
      if (list.back().kind == TokenKind::end) return list;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token next() {
    Token t;
    t.column = at_ + 1;
    if (at_ >= text_.size()) return t;
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number(t);
    if (is_letter(peek())) return name(t);
    for (const std::string_view sign : kSigns) {
      if (text_.substr(at_, sign.size()) != sign) continue;
      at_ += sign.size();
      t.kind = TokenKind::sign;
      t.text = sign;
      return t;
    }
    fail_at(place_, t.column, "\"" + std::string(text_.substr(at_, 1)) + "\"",
            "a number, a name, + - * / ^ < <= > >= == != ( ) ,");
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  Token number(Token t) {
    const std::size_t begin = at_;
    digits();
    if (peek() == '.') ++at_;
    digits();
    const bool has_exponent =
        (peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))));
    if (has_exponent) {
      at_ += 2;
      digits();
    }
    t.kind = TokenKind::number;
    t.text = text_.substr(begin, at_ - begin);
    const std::optional<double> value = parse_number(t.text);
    if (!value) fail_at(place_, t.column, "\"" + t.text + "\"", "a number");
    t.number = *value;
    read_unit(t);
    return t;
  }

  // Tries the longer reading first: 400 GB/s is a rate, 400 GB/size a quotient.
  void read_unit(Token& t) {
    std::size_t begin = at_;
    if (begin < text_.size() && text_[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < text_.size() && is_unit_letter(text_[end])) ++end;
    const std::string word(text_.substr(begin, end - begin));
    if (word.empty() || word == "and" || word == "or") return;
    const bool per_second =
        text_.substr(end, 2) == "/s" && (end + 2 == text_.size() || !is_name_part(text_[end + 2]));
    if (per_second && take_unit(t, word + "/s")) {
      at_ = end + 2;
    } else if (take_unit(t, word)) {
      at_ = end;
    } else {
      fail_at(place_, begin + 1, "\"" + word + "\" after a number",
              "a unit (" + example_of(kBytes) + ", " + example_of(kBytes - kSeconds) + ", " +
                  example_of(kSeconds) + ") or a sign",
              nearest_name(word, all_units()));
    }
  }

  static bool is_name_part(char c) { return is_letter(c) || is_digit(c); }

  static bool take_unit(Token& t, const std::string& unit) {
    const std::optional<WithUnit> found = with_unit(t.text + " " + unit);
    if (!found) return false;
    t.number = found->si;
    t.dimension = found->dimension;
    return true;
  }

  Token name(Token t) {
    const std::size_t begin = at_;
    part();
    for (;;) {
      if (peek() == '[') {
        index();
      } else if (peek() == '.') {
        ++at_;
        if (!is_letter(peek())) {
          fail_at(place_, at_ + 1, found_here(), "a name after the dot");
        }
        part();
      } else {
        break;
      }
    }
    t.kind = TokenKind::name;
    t.text = text_.substr(begin, at_ - begin);
    return t;
  }

  void part() {
    while (is_name_part(peek())) ++at_;
  }

  void index() {
    ++at_;
    const std::size_t begin = at_;
    digits();
    constexpr std::size_t kMostDigits = 9;
    if (at_ == begin || at_ - begin > kMostDigits || peek() != ']') {
      fail_at(place_, begin + 1, found_here(), "[index], a whole number from 0");
    }
    ++at_;
  }

  std::string found_here() const {
    if (at_ >= text_.size()) return "the end";
    return {'"', text_[at_], '"'};
  }

  std::string_view text_;
  const ExpressionPlace& place_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<WithUnit> with_unit(std::string_view text) {
  for (const Dimension d : kUnitDimensions) {
    if (const std::optional<double> si = parse_quantity(text, d)) return WithUnit{*si, d};
  }
  return {};
}

void fail_at(const ExpressionPlace& place, std::size_t column, const std::string& found,
             const std::string& allowed, const std::string& nearest) {
  throw InputError(place.file, place.path, found + " in column " + std::to_string(column), allowed,
                   nearest);
}

std::vector<Token> tokens_of(std::string_view text, const ExpressionPlace& place) {
  return Lexer(text, place).tokens();
}

}  // namespace orrery::detail
