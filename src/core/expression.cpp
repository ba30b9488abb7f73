// SPDX-License-Identifier: Apache-2.0
#include "core/expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/expression_lexer.h"
#include "core/json.h"

namespace orrery {
namespace {

double applied(ExpressionOp op, double a, double b) {
  using enum ExpressionOp;
  switch (op) {
    case number:
    case path:
      break;
    case negate:
      return -a;
    case not_:
      return a == 0 ? 1 : 0;
    case abs:
      return std::abs(a);
    case log:
      return std::log(a);
    case add:
      return a + b;
    case subtract:
      return a - b;
    case multiply:
      return a * b;
    case divide:
      return a / b;
    case power:
      return std::pow(a, b);
    case less:
      return a < b ? 1 : 0;
    case less_equal:
      return a <= b ? 1 : 0;
    case greater:
      return a > b ? 1 : 0;
    case greater_equal:
      return a >= b ? 1 : 0;
    case equal:
      return a == b ? 1 : 0;
    case unequal:
      return a != b ? 1 : 0;
    case and_:
      return a != 0 && b != 0 ? 1 : 0;
    case or_:
      return a != 0 || b != 0 ? 1 : 0;
    case min:
      return std::min(a, b);
    case max:
      return std::max(a, b);
  }
  return 0;
}

// The member or item that the first step of `path` names; `path` loses that step.
const Json* step_into(const Json& document, std::string_view& path) {
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    std::size_t index = 0;
    for (const char c : path.substr(1, end - 1)) {
      index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    path.remove_prefix(end + 1);
    return document.is_array() && index < document.size() ? &document[index] : nullptr;
  }
  if (path.front() == '.') path.remove_prefix(1);
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const std::string key(path.substr(0, end));
  path.remove_prefix(end);
  return document.is_object() && document.contains(key) ? &document.at(key) : nullptr;
}

}  // namespace

Expression::Expression(std::string text, std::vector<Node> nodes, std::vector<std::string> paths,
                       ExpressionKind kind)
    : text_(std::move(text)), nodes_(std::move(nodes)), paths_(std::move(paths)), kind_(kind) {}

double Expression::value(std::span<const double> values) const {
  return value_of(nodes_.size() - 1, values);
}

double Expression::value_of(std::size_t node, std::span<const double> values) const {
  const Node& n = nodes_[node];
  if (n.op == ExpressionOp::number) return n.number;
  if (n.op == ExpressionOp::path) return values[n.path];
  const double left = value_of(n.left, values);
  return applied(n.op, left, n.right == n.left ? left : value_of(n.right, values));
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NumberRange kAnything = {-kInfinity, kInfinity};

// NaN (0·infinity, infinity − infinity) means that nothing is known.
NumberRange ordered(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kAnything;
  return {std::min(a, b), std::max(a, b)};
}

template <class Apply>
NumberRange over_corners(NumberRange a, NumberRange b, Apply&& apply) {
  const NumberRange x = ordered(apply(a.low, b.low), apply(a.high, b.high));
  const NumberRange y = ordered(apply(a.low, b.high), apply(a.high, b.low));
  return {std::min(x.low, y.low), std::max(x.high, y.high)};
}

NumberRange multiplied(NumberRange a, NumberRange b) {
  const bool zero = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
  if (zero) return {0, 0};
  return over_corners(a, b, [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; });
}

NumberRange divided(NumberRange a, NumberRange b) {
  if (b.low <= 0 && b.high >= 0) return kAnything;
  return over_corners(a, b, [](double x, double y) { return x / y; });
}

// Rising or falling in both where the base is not negative.
NumberRange to_the_power(NumberRange a, NumberRange b) {
  if (a.low < 0) return kAnything;
  return over_corners(a, b, [](double x, double y) { return std::pow(x, y); });
}

NumberRange magnitude(NumberRange a) {
  const double most = std::max(std::abs(a.low), std::abs(a.high));
  if (a.low <= 0 && a.high >= 0) return {0, most};
  return {std::min(std::abs(a.low), std::abs(a.high)), most};
}

NumberRange logarithm(NumberRange a) {
  if (a.low < 0) return kAnything;
  return {std::log(a.low), std::log(a.high)};
}

NumberRange truth(bool surely, bool never) { return {surely ? 1.0 : 0.0, never ? 0.0 : 1.0}; }

NumberRange is_less(NumberRange a, NumberRange b) { return truth(a.high < b.low, a.low >= b.high); }
NumberRange is_less_equal(NumberRange a, NumberRange b) {
  return truth(a.high <= b.low, a.low > b.high);
}
NumberRange is_equal(NumberRange a, NumberRange b) {
  const bool one = a.low == a.high && b.low == b.high;
  return truth(one && a.low == b.low, a.high < b.low || b.high < a.low);
}
NumberRange negation(NumberRange t) { return {1 - t.high, 1 - t.low}; }
NumberRange as_truth(NumberRange a) { return negation(is_equal(a, {0, 0})); }

NumberRange applied(ExpressionOp op, NumberRange a, NumberRange b) {
  using enum ExpressionOp;
  switch (op) {
    case number:
    case path:
      break;
    case negate:
      return {-a.high, -a.low};
    case not_:
      return negation(as_truth(a));
    case abs:
      return magnitude(a);
    case log:
      return logarithm(a);
    case add:
      return ordered(a.low + b.low, a.high + b.high);
    case subtract:
      return ordered(a.low - b.high, a.high - b.low);
    case multiply:
      return multiplied(a, b);
    case divide:
      return divided(a, b);
    case power:
      return to_the_power(a, b);
    case less:
      return is_less(a, b);
    case less_equal:
      return is_less_equal(a, b);
    case greater:
      return is_less(b, a);
    case greater_equal:
      return is_less_equal(b, a);
    case equal:
      return is_equal(a, b);
    case unequal:
      return negation(is_equal(a, b));
    case and_:
      return {std::min(as_truth(a).low, as_truth(b).low),
              std::min(as_truth(a).high, as_truth(b).high)};
    case or_:
      return {std::max(as_truth(a).low, as_truth(b).low),
              std::max(as_truth(a).high, as_truth(b).high)};
    case min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
  return kAnything;
}

}  // namespace

NumberRange Expression::range(std::span<const NumberRange> values) const {
  return range_of(nodes_.size() - 1, values);
}

NumberRange Expression::range_of(std::size_t node, std::span<const NumberRange> values) const {
  const Node& n = nodes_[node];
  if (n.op == ExpressionOp::number) return {n.number, n.number};
  if (n.op == ExpressionOp::path) return values[n.path];
  const NumberRange left = range_of(n.left, values);
  return applied(n.op, left, n.right == n.left ? left : range_of(n.right, values));
}

double evaluate(const Expression& e, const PathValue& value, const std::string& file,
                const std::string& path) {
  std::vector<double> values;
  for (const std::string& name : e.paths()) {
    const std::optional<double> found = value(name);
    if (!found) throw InputError(file, path, "\"" + name + "\"", "a path that leads to a number");
    values.push_back(*found);
  }
  const double x = e.value(values);
  if (!std::isfinite(x)) {
    throw InputError(file, path, "a result that is not finite: " + e.text(), "a number");
  }
  return x;
}

std::optional<double> number_at(const Json& document, std::string_view path) {
  const Json* at = &document;
  while (!path.empty()) {
    at = step_into(*at, path);
    if (at == nullptr) return {};
  }
  if (at->is_boolean()) return at->get<bool>() ? 1 : 0;
  if (at->is_number()) return at->get<double>();
  if (!at->is_string()) return {};
  const std::optional<detail::WithUnit> quantity = detail::with_unit(at->get<std::string>());
  return quantity ? std::optional(quantity->si) : std::nullopt;
}

}  // namespace orrery
