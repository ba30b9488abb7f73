// SPDX-License-Identifier: Apache-2.0
#include "core/expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/expression_lexer.h"

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
