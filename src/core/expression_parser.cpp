// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/expression.h"
#include "core/expression_lexer.h"

namespace orrery {
namespace {

using detail::ExpressionPlace;
using detail::Token;
using detail::TokenKind;
using Op = ExpressionOp;
using Kind = ExpressionKind;

constexpr int kDeepestExpression = 64;
constexpr std::size_t kLongestExpression = 4096;

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
// Endings of names whose numbers are not SI.
constexpr std::array<std::string_view, 3> kOwnUnits = {"_gib", "_tflops", "_tflops_per_gpu"};

// What is known of a part before anything is looked up.
struct Part {
  std::size_t node = 0;
  Kind kind = Kind::number;
  std::optional<Dimension> dimension;  // only where units in the text say so
  bool is_plain = false;               // numbers without unit alone
  std::string own_unit;                // a path in it that counts in a unit of its own
  std::size_t column = 1;
};

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
      if (++parser.depth_ > kDeepestExpression) {
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

  Part make(Op op, const Part& left, const Part& right, Kind kind) {
    Part p;
    p.node = nodes_.size();
    p.kind = kind;
    p.column = left.column;
    p.is_plain = left.is_plain && right.is_plain;
    p.own_unit = left.own_unit.empty() ? right.own_unit : left.own_unit;
    nodes_.push_back({op, left.node, right.node, 0, 0});
    return p;
  }

  void must_be(const Part& p, Kind kind) const {
    if (p.kind == kind || p.kind == Kind::either) return;
    detail::fail_at(place_, p.column, kind == Kind::truth ? "a number" : "a comparison",
                    kind == Kind::truth ? "a comparison" : "a number");
  }

  // What is added or compared is of one dimension, as far as the text says.
  void must_match(const Part& a, const Part& b) const {
    if (a.dimension && b.dimension && !(*a.dimension == *b.dimension)) {
      detail::fail_at(place_, b.column, "a quantity of another dimension",
                      "two quantities of one dimension");
    }
    const Part& with_unit = a.dimension ? a : b;
    const Part& other = a.dimension ? b : a;
    if (!with_unit.dimension || other.dimension) return;
    if (other.is_plain) {
      detail::fail_at(place_, other.column, "a number without unit beside one with",
                      "a unit for both, or for none");
    }
    if (!other.own_unit.empty()) {
      detail::fail_at(place_, with_unit.column, "a unit beside " + other.own_unit,
                      "a plain number: the name says its unit");
    }
  }

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
      p = make(op, p, right, Kind::truth);
    }
    return p;
  }

  Part inversion() {
    if (!is("not")) return comparison();
    const Deeper deeper(*this);
    ++at_;
    const Part p = inversion();
    must_be(p, Kind::truth);
    return make(Op::not_, p, p, Kind::truth);
  }

  Part comparison() {
    const Part left = sum();
    const std::optional<Op> op = sign_of(kComparisons);
    if (!op) return left;
    ++at_;
    const Part right = sum();
    must_be(left, Kind::number);
    must_be(right, Kind::number);
    must_match(left, right);
    if (sign_of(kComparisons)) fail(here(), "one comparison at a time: a < b and b < c");
    return make(*op, left, right, Kind::truth);
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

  // Of one dimension: a sum, a minimum.
  Part joined(Op op, const Part& left, const Part& right) {
    must_be(left, Kind::number);
    must_be(right, Kind::number);
    must_match(left, right);
    Part p = make(op, left, right, Kind::number);
    p.dimension = left.dimension ? left.dimension : right.dimension;
    return p;
  }

  Part product() {
    Part p = signed_part();
    for (std::optional<Op> op; (op = sign_of(kProducts));) {
      ++at_;
      const Part right = signed_part();
      must_be(p, Kind::number);
      must_be(right, Kind::number);
      const Part left = p;
      p = make(*op, left, right, Kind::number);
      p.dimension = product_dimension(*op, left, right);
      if (*op == Op::divide && !left.own_unit.empty() && !right.own_unit.empty()) {
        p.own_unit.clear();  // a ratio
      }
    }
    return p;
  }

  static std::optional<Dimension> product_dimension(Op op, const Part& a, const Part& b) {
    const bool known = (a.dimension || a.is_plain) && (b.dimension || b.is_plain);
    if (!known || (!a.dimension && !b.dimension)) return {};
    const Dimension left = a.dimension.value_or(kNone);
    const Dimension right = b.dimension.value_or(kNone);
    return op == Op::multiply ? left + right : left - right;
  }

  Part signed_part() {
    if (!is("-")) return power();
    const Deeper deeper(*this);
    ++at_;
    const Part inner = signed_part();
    must_be(inner, Kind::number);
    Part p = make(Op::negate, inner, inner, Kind::number);
    p.dimension = inner.dimension;
    return p;
  }

  Part power() {
    const Part base = primary();
    if (!is("^")) return base;
    const Deeper deeper(*this);
    ++at_;
    const Part exponent = signed_part();
    must_be(base, Kind::number);
    must_be(exponent, Kind::number);
    return make(Op::power, base, exponent, Kind::number);
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
    Part p;
    p.node = nodes_.size();
    p.dimension = t.dimension;
    p.is_plain = !t.dimension;
    p.column = t.column;
    nodes_.push_back({Op::number, 0, 0, t.number, 0});
    return p;
  }

  Part named_part(const Token& t) {
    ++at_;
    if (std::find(kWords.begin(), kWords.end(), t.text) != kWords.end()) {
      fail(t, "a number, a name, a function or \"(\"");
    }
    if (is("(")) return function(t);
    Part p;
    p.node = nodes_.size();
    p.kind = Kind::either;
    p.column = t.column;
    const auto has_end = [&](std::string_view end) {
      return t.text.size() >= end.size() &&
             t.text.compare(t.text.size() - end.size(), end.size(), end) == 0;
    };
    if (std::any_of(kOwnUnits.begin(), kOwnUnits.end(), has_end)) p.own_unit = t.text;
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
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const SignOf& f) { return f.text == t.text; });
    if (known == kFunctions.end()) {
      detail::fail_at(place_, t.column, "function \"" + t.text + "\"", "min, max, abs or log",
                      nearest_name(t.text, {"min", "max", "abs", "log"}));
    }
    expect("(");
    Part p = disjunction();
    must_be(p, Kind::number);
    const bool takes_many = known->op == Op::min || known->op == Op::max;
    while (takes_many && accept(",")) p = joined(known->op, p, disjunction());
    expect(")");
    if (!takes_many) {
      const std::optional<Dimension> dimension = p.dimension;
      p = make(known->op, p, p, Kind::number);
      if (known->op == Op::abs) p.dimension = dimension;
    }
    p.kind = Kind::number;
    p.column = t.column;
    return p;
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
