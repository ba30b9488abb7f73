// SPDX-License-Identifier: Apache-2.0
#include "core/traced.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace orrery {
namespace {

thread_local Tape* active = nullptr;
thread_local int active_part = -1;

std::int32_t append(const Node& node) {
  active->nodes.push_back(node);
  return static_cast<std::int32_t>(active->nodes.size()) - 1;
}

std::int32_t as_node(Traced x) {
  if (x.node >= 0) return x.node;
  Node literal;
  literal.value = x.value;
  return append(literal);
}

double apply(NodeKind kind, double a, double b) {
  switch (kind) {
    case NodeKind::add:
      return a + b;
    case NodeKind::subtract:
      return a - b;
    case NodeKind::multiply:
      return a * b;
    case NodeKind::divide:
      return a / b;
    case NodeKind::maximum:
      return std::max(a, b);
    case NodeKind::minimum:
      return std::min(a, b);
    case NodeKind::square_root:
      return std::sqrt(a);
    case NodeKind::power:
      return std::pow(a, b);
    case NodeKind::name:
    case NodeKind::input:
    case NodeKind::literal:
      return a;
  }
  return a;
}

// The last one: parts of a run that are priced later have theirs after the others'.
const CountedSum* sum_of(std::string_view name, double value) {
  const auto& sums = active->sums;
  const auto found = std::find_if(sums.rbegin(), sums.rend(), [&](const CountedSum& s) {
    return s.value == value && s.name == name;
  });
  return found == sums.rend() ? nullptr : &*found;
}

bool is_unary(NodeKind kind) { return kind == NodeKind::square_root || kind == NodeKind::name; }

}  // namespace

Recording::Recording(Tape& tape) { active = &tape; }
Recording::~Recording() { active = nullptr; }

RecordedPart::RecordedPart(int part) : outer_(active_part) { active_part = part; }
RecordedPart::~RecordedPart() { active_part = outer_; }

namespace detail {

// Two literals stay a literal: constants fold, and nothing is recorded outside a Recording.
Traced record(NodeKind kind, double value, Traced a, Traced b) {
  if (active == nullptr || (a.node < 0 && b.node < 0)) return Traced(value);
  Node node;
  node.kind = kind;
  node.value = value;
  node.left = as_node(a);
  if (!is_unary(kind)) node.right = as_node(b);
  return Traced(value, append(node));
}

Traced record_label(NodeKind kind, Traced x, const Label& label, Dimension dimension) {
  if (active == nullptr) return x;
  const CountedSum* sum = kind == NodeKind::input ? sum_of(label.name, x.value) : nullptr;
  if (sum != nullptr) return Traced(x.value, sum->node);
  Node node;
  node.kind = x.node < 0 ? NodeKind::input : kind;
  node.value = x.value;
  node.left = node.kind == NodeKind::input ? -1 : x.node;
  node.label = label;
  node.label.part = active_part;
  node.dimension = dimension;
  return Traced(x.value, append(node));
}

void record_sum(const char* name, Traced sum) {
  if (active != nullptr && sum.node >= 0) active->sums.push_back({name, sum.value, sum.node});
}

}  // namespace detail

Traced operator+(Traced a, Traced b) {
  // A sum that starts from a literal zero is the other term: the tree stays readable.
  if (a.node < 0 && a.value == 0.0) return b;
  if (b.node < 0 && b.value == 0.0) return a;
  return detail::record(NodeKind::add, a.value + b.value, a, b);
}

Traced operator-(Traced a, Traced b) {
  if (b.node < 0 && b.value == 0.0) return a;
  return detail::record(NodeKind::subtract, a.value - b.value, a, b);
}

Traced operator*(Traced a, Traced b) {
  if (a.node < 0 && a.value == 1.0) return b;
  if (b.node < 0 && b.value == 1.0) return a;
  return detail::record(NodeKind::multiply, a.value * b.value, a, b);
}

Traced operator/(Traced a, Traced b) {
  if (b.node < 0 && b.value == 1.0) return a;
  return detail::record(NodeKind::divide, a.value / b.value, a, b);
}

double evaluate_again(const Tape& tape, std::int32_t node) {
  std::vector<double> values(static_cast<std::size_t>(node) + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Node& n = tape.nodes[i];
    const double a = n.left < 0 ? n.value : values[static_cast<std::size_t>(n.left)];
    const double b = n.right < 0 ? 0.0 : values[static_cast<std::size_t>(n.right)];
    values[i] = apply(n.kind, a, b);
  }
  return values.back();
}

}  // namespace orrery
