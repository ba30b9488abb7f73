// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/expression.h"
#include "core/expression_lexer.h"
#include "core/expression_part.h"
#include "core/limits.h"

namespace orrery {
namespace {

using detail::ExpressionPlace;
using detail::Token;
using detail::TokenKind;
using Op = ExpressionOp;
using Kind = ExpressionKind;
using Part = detail::ExpressionPart;

struct SignOf {
  std::string_view text;
  Op op;
};
constexpr std::array<SignOf, 6> kComparisons = {{{"<", Op::less},
                                                 {"<=", Op::less_equal},
                                                 {">", Op::greater},
                                                 {">=", Op::greater_equal},
                                                 {"==", Op::equal},
                                                 {"!=", Op::unequal}}};
constexpr std::array<SignOf, 2> kSums = {{{"+", Op::add}, {"-", Op::subtract}}};
constexpr std::array<SignOf, 2> kProducts = {{{"*", Op::multiply}, {"/", Op::divide}}};
constexpr std::array<SignOf, 4> kFunctions = {
    {{"min", Op::min}, {"max", Op::max}, {"abs", Op::abs}, {"log", Op::log}}};
constexpr std::array<std::string_view, 3> kWords = {"and", "or", "not"};

class Parser {
 public:
  Parser(std::string_view text, ExpressionPlace place)
      : text_(text), place_(std::move(place)), tokens_(detail::tokens_of(text, place_)) {}

  Expression parse() {
    const Part whole = disjunction();
    if (here().kind != TokenKind::end) fail(here(), "a sign or the end");
    return {std::string(text_), std::move(nodes_), std::move(paths_), whole.kind};
  }

 private:
  struct Deeper {
    Deeper(Parser& p) : parser(p) {  // NOLINT(google-explicit-constructor)
      if (++parser.depth_ > kDeepestNesting) {
        detail::fail_at(parser.place_, parser.here().column, "a level too many",
                        "at most 64 levels");
      }
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  const Token& here() const { return tokens_[at_]; }

  bool is(std::string_view text) const {
    return (here().kind == TokenKind::sign || here().kind == TokenKind::name) &&
           here().text == text;
  }

  bool accept(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const Token& t, const std::string& allowed) const {
    detail::fail_at(place_, t.column, t.kind == TokenKind::end ? "the end" : "\"" + t.text + "\"",
                    allowed);
  }

  void expect(std::string_view text) {
    if (!accept(text)) fail(here(), "\"" + std::string(text) + "\"");
  }

  template <std::size_t N>
  std::optional<Op> sign_of(const std::array<SignOf, N>& signs) const {
    for (const SignOf& s : signs) {
      if (here().kind == TokenKind::sign && here().text == s.text) return s.op;
    }
    return {};
  }

  // A node of two parts, which are one where `op` takes one.
  Part make(Op op, const Part& left, const Part& right, Part whole) {
    whole.node = nodes_.size();
    nodes_.push_back({op, left.node, right.node, 0, 0});
    return whole;
  }

  void must_be(const Part& p, Kind kind) const { detail::must_be(p, kind, place_); }

  Part disjunction() {
    const Deeper deeper(*this);
    return chain("or", Op::or_, [this] { return conjunction(); });
  }

  Part conjunction() {
    return chain("and", Op::and_, [this] { return inversion(); });
  }

  template <class Inner>
  Part chain(std::string_view word, Op op, Inner inner) {
    Part p = inner();
    while (here().kind == TokenKind::name && here().text == word) {
      must_be(p, Kind::truth);
      ++at_;
      const Part right = inner();
      must_be(right, Kind::truth);
      p = make(op, p, right, both(p, right, Kind::truth));
    }
    return p;
  }

  Part inversion() {
    if (!is("not")) return comparison();
    const Deeper deeper(*this);
    ++at_;
    const Part p = inversion();
    must_be(p, Kind::truth);
    return make(Op::not_, p, p, both(p, p, Kind::truth));
  }

  Part comparison() {
    const Part left = sum();
    const std::optional<Op> op = sign_of(kComparisons);
    if (!op) return left;
    ++at_;
    const Part right = sum();
    const Part whole = comparison_part(left, right, place_);
    if (sign_of(kComparisons)) fail(here(), "one comparison at a time: a < b and b < c");
    return make(*op, left, right, whole);
  }

  Part sum() {
    Part p = product();
    for (std::optional<Op> op; (op = sign_of(kSums));) {
      ++at_;
      const Part right = product();
      p = joined(*op, p, right);
    }
    return p;
  }

  Part joined(Op op, const Part& left, const Part& right) {
    return make(op, left, right, sum_part(left, right, place_));
  }

  Part product() {
    Part p = signed_part();
    for (std::optional<Op> op; (op = sign_of(kProducts));) {
      ++at_;
      const Part right = signed_part();
      p = make(*op, p, right, product_part(*op, p, right, place_));
    }
    return p;
  }

  Part signed_part() {
    if (!is("-")) return power();
    const Deeper deeper(*this);
    ++at_;
    const Part inner = signed_part();
    must_be(inner, Kind::number);
    return make(Op::negate, inner, inner, magnitude_part(inner));
  }

  Part power() {
    const Part base = primary();
    if (!is("^")) return base;
    const Deeper deeper(*this);
    ++at_;
    const Part exponent = signed_part();
    return make(Op::power, base, exponent, power_part(base, exponent, place_));
  }

  Part primary() {
    const Token t = here();
    if (t.kind == TokenKind::number) return literal(t);
    if (t.kind == TokenKind::name) return named_part(t);
    if (!accept("(")) fail(t, "a number, a name, a function or \"(\"");
    Part p = disjunction();
    expect(")");
    p.column = t.column;
    return p;
  }

  Part literal(const Token& t) {
    ++at_;
    Part p = literal_part(t);
    p.node = nodes_.size();
    nodes_.push_back({Op::number, 0, 0, t.number, 0});
    return p;
  }

  Part named_part(const Token& t) {
    ++at_;
    if (std::find(kWords.begin(), kWords.end(), t.text) != kWords.end()) {
      fail(t, "a number, a name, a function or \"(\"");
    }
    if (is("(")) return function(t);
    Part p = path_part(t);
    p.node = nodes_.size();
    nodes_.push_back({Op::path, 0, 0, 0, index_of_path(t.text)});
    return p;
  }

  std::size_t index_of_path(const std::string& path) {
    const auto found = std::find(paths_.begin(), paths_.end(), path);
    const auto index = static_cast<std::size_t>(found - paths_.begin());
    if (found == paths_.end()) paths_.push_back(path);
    return index;
  }

  Part function(const Token& t) {
    const Op op = function_of(t);
    expect("(");
    Part p = disjunction();
    must_be(p, Kind::number);
    const bool takes_many = op == Op::min || op == Op::max;
    while (takes_many && accept(",")) p = joined(op, p, disjunction());
    expect(")");
    if (op == Op::abs) p = make(op, p, p, magnitude_part(p));
    if (op == Op::log) p = make(op, p, p, both(p, p, Kind::number));
    p.kind = Kind::number;
    p.column = t.column;
    return p;
  }

  Op function_of(const Token& t) const {
    for (const SignOf& f : kFunctions) {
      if (f.text == t.text) return f.op;
    }
    detail::fail_at(place_, t.column, "function \"" + t.text + "\"", "min, max, abs or log",
                    nearest_name(t.text, {"min", "max", "abs", "log"}));
  }

  std::string_view text_;
  ExpressionPlace place_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Expression::Node> nodes_;
  std::vector<std::string> paths_;
};

}  // namespace

Expression parse_expression(std::string_view text, const std::string& file,
                            const std::string& path) {
  if (text.size() > kLongestExpression) {
    throw InputError(file, path, std::to_string(text.size()) + " bytes", "at most 4096 bytes");
  }
  return Parser(text, {file, path}).parse();
}

}  // namespace orrery
