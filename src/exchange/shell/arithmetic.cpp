// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>

#include "core/limits.h"
#include "core/units.h"
#include "exchange/shell/expansion.h"

namespace orrery::shell {
namespace {

constexpr double kMostWhole = 1e15;

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

using Value = std::optional<std::int64_t>;

Value within(double x) {
  if (!(x >= -kMostWhole && x <= kMostWhole)) return {};
  return static_cast<std::int64_t>(x);
}

Value applied(std::string_view sign, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  if (sign == "+") return within(x + y);
  if (sign == "-") return within(x - y);
  if (sign == "*") return within(x * y);
  if (sign == "/") return b == 0 ? Value() : a / b;
  if (sign == "%") return b == 0 ? Value() : a % b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "&&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const ShellVariables& variables)
      : text_(text), variables_(variables) {}

  Value all() {
    const Value x = choice(0);
    skip();
    return at_ == text_.size() ? x : Value();
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
  Value choice(int depth) {
    const Value asked = depth > kDeepestNesting ? Value() : level(0, depth);
    if (!asked || !takes('?')) return asked;
    const Value yes = choice(depth + 1);
    if (!yes || !takes(':')) return {};
    const Value no = choice(depth + 1);
    return no ? (*asked != 0 ? yes : no) : Value();
  }

  Value level(int lowest, int depth) {
    if (depth > kDeepestNesting) return {};
    Value left = unary(depth);
    for (const Operator* o = operator_at(lowest); left && o != nullptr; o = operator_at(lowest)) {
      at_ += o->sign.size();
      const Value right = level(o->level + 1, depth + 1);
      left = right ? applied(o->sign, *left, *right) : Value();
    }
    return left;
  }

  Value unary(int depth) {
    skip();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (depth > kDeepestNesting || c == '\0') return {};
    if (c == '-' || c == '+' || c == '!') {
      ++at_;
      const Value x = level(kTightest, depth + 1);
      if (!x) return {};
      return c == '-' ? -*x : c == '!' ? std::int64_t{*x == 0} : *x;
    }
    if (c == '(') return bracketed(depth);
    const std::size_t end = end_of_name(text_, at_);
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    return operand(word);
  }

  Value bracketed(int depth) {
    ++at_;
    const Value x = choice(depth + 1);
    return takes(')') ? x : Value();
  }

  Value operand(const std::string& word) const {
    if (word.empty()) return {};
    const bool digit = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    const auto x = parse_number(digit ? word : shell_value(variables_, word));
    return x ? within(*x) : Value();
  }

  std::string_view text_;
  const ShellVariables& variables_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> arithmetic(std::string_view text, const ShellVariables& variables) {
  const std::string plain = text_of_document(text, variables);
  if (plain.find('$') != std::string::npos) return {};
  return Arithmetic(plain, variables).all();
}

}  // namespace orrery::shell
