// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/arithmetic.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "core/limits.h"
#include "core/units.h"
#include "exchange/shell/cursor.h"

namespace orrery::shell {
namespace {

constexpr double kMostWhole = 1e15;
constexpr std::size_t kMostNumbers = 16;

struct Operator {
  std::string_view sign;
  int level;  // binds tighter the higher
};
// Longer signs first.
constexpr std::array kOperators = {
    Operator{"&&", 1}, Operator{"||", 0}, Operator{"==", 2}, Operator{"!=", 2}, Operator{"<=", 3},
    Operator{">=", 3}, Operator{"<", 3},  Operator{">", 3},  Operator{"+", 4},  Operator{"-", 4},
    Operator{"*", 5},  Operator{"/", 5},  Operator{"%", 5},
};
constexpr int kTightest = 6;

Numbers within(double x) {
  if (!(x >= -kMostWhole && x <= kMostWhole)) return {};
  return {static_cast<std::int64_t>(x)};
}

Numbers applied(std::string_view sign, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  if (sign == "+") return within(x + y);
  if (sign == "-") return within(x - y);
  if (sign == "*") return within(x * y);
  if (sign == "/") return b == 0 ? Numbers() : Numbers{a / b};
  if (sign == "%") return b == 0 ? Numbers() : Numbers{a % b};
  if (sign == "==") return {a == b};
  if (sign == "!=") return {a != b};
  if (sign == "<=") return {a <= b};
  if (sign == ">=") return {a >= b};
  if (sign == "<") return {a < b};
  if (sign == ">") return {a > b};
  if (sign == "&&") return {a != 0 && b != 0};
  return {a != 0 || b != 0};
}

// The results of every pair; none where one has none.
Numbers applied(std::string_view sign, const Numbers& a, const Numbers& b) {
  std::set<std::int64_t> all;
  for (const std::int64_t x : a) {
    for (const std::int64_t y : b) {
      const Numbers one = applied(sign, x, y);
      if (one.empty()) return {};
      all.insert(one.front());
    }
  }
  return all.size() > kMostNumbers ? Numbers() : Numbers(all.begin(), all.end());
}

class Expression {
 public:
  Expression(std::string_view text, const std::function<Numbers(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  Numbers all() {
    const Numbers x = choice(0);
    skip();
    return at_ == text_.size() ? x : Numbers();
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  const Operator* operator_at(int lowest) {
    skip();
    for (const Operator& o : kOperators) {
      if (text_.substr(at_, o.sign.size()) == o.sign) return o.level >= lowest ? &o : nullptr;
    }
    return nullptr;
  }

  bool takes(char sign) {
    skip();
    const bool found = at_ < text_.size() && text_[at_] == sign;
    if (found) ++at_;
    return found;
  }

  // "a ? b : c", of which both sides must be known.
  Numbers choice(int depth) {
    const Numbers asked = depth > kDeepestNesting ? Numbers() : level(0, depth);
    if (asked.empty() || !takes('?')) return asked;
    const Numbers yes = choice(depth + 1);
    if (yes.empty() || !takes(':')) return {};
    const Numbers no = choice(depth + 1);
    if (no.empty()) return {};
    Numbers all;
    for (const std::int64_t x : asked) {
      const Numbers& taken = x != 0 ? yes : no;
      all.insert(all.end(), taken.begin(), taken.end());
    }
    return applied("+", all, {0});
  }

  Numbers level(int lowest, int depth) {
    if (depth > kDeepestNesting) return {};
    Numbers left = unary(depth);
    for (const Operator* o = operator_at(lowest); !left.empty() && o != nullptr;
         o = operator_at(lowest)) {
      at_ += o->sign.size();
      left = applied(o->sign, left, level(o->level + 1, depth + 1));
    }
    return left;
  }

  Numbers unary(int depth) {
    skip();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (depth > kDeepestNesting || c == '\0') return {};
    if (c == '-' || c == '+' || c == '!') {
      ++at_;
      const Numbers x = level(kTightest, depth + 1);
      return c == '!' ? applied("==", x, {0}) : applied(c == '-' ? "-" : "+", {0}, x);
    }
    if (c == '(') return bracketed(depth);
    const std::size_t end = end_of_name(text_, at_);
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (word.empty()) return {};
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ? number_in(word) : value_of_(word);
  }

  Numbers bracketed(int depth) {
    ++at_;
    const Numbers x = choice(depth + 1);
    return takes(')') ? x : Numbers();
  }

  std::string_view text_;
  const std::function<Numbers(const std::string&)>& value_of_;
  std::size_t at_ = 0;
};

}  // namespace

Numbers number_in(std::string_view text) {
  const auto x = parse_number(text);
  return x && *x == std::floor(*x) ? within(*x) : Numbers();
}

Numbers arithmetic(std::string_view text,
                   const std::function<Numbers(const std::string&)>& value_of) {
  return Expression(text, value_of).all();
}

}  // namespace orrery::shell
