// SPDX-License-Identifier: Apache-2.0
//
// A small language for constraints and computed quantities: `memory.peak_gib <= 72`,
// `a.step_time_s / b.step_time_s`, `min(3 us, x.latency_s) * 2`.
//
// Numbers, with a unit as run files have them (then in SI); paths (names, dots, [index]), looked up
// by whoever evaluates; + - * / ^ and parentheses; < <= > >= == !=; and, or, not; min, max, abs,
// log (natural). ^ binds tightest and to the right, then a sign, * /, + -, comparisons, not, and,
// or. Comparisons do not chain. A comparison is a truth and is no number; a path may be either.
//
// A unit is checked where that can be: quantities of two dimensions do not add or compare, and a
// quantity with a unit does not stand beside a path whose name says another one (`_gib`,
// `_tflops`): `memory.peak_gib <= 72 GiB` is refused, as the left side counts GiB and the right one
// bytes.
//
// Errors: InputError with file, path of the expression, and the column (from 1, in bytes) of what
// is wrong. Parsing is bounded: 64 levels, 4,096 bytes. Evaluating neither throws nor allocates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"

namespace orrery {

enum class ExpressionOp : std::uint8_t {
  number,
  path,
  negate,
  not_,
  abs,
  log,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  unequal,
  and_,
  or_,
  min,
  max,
};

// Whether what it gives is a number or a truth; `either` of a path alone, whose value decides.
enum class ExpressionKind : std::uint8_t { number, truth, either };

// All numbers from low to high; what is not known at all reaches from −infinity to infinity.
struct NumberRange {
  double low = 0;
  double high = 0;
};

class Expression {
 public:
  struct Node {
    ExpressionOp op = ExpressionOp::number;
    std::size_t left = 0;   // of nodes
    std::size_t right = 0;  // the same
    double number = 0;
    std::size_t path = 0;  // of paths()
  };

  Expression(std::string text, std::vector<Node> nodes, std::vector<std::string> paths,
             ExpressionKind kind);

  const std::string& text() const { return text_; }
  ExpressionKind kind() const { return kind_; }

  // Each path once, in the order met.
  const std::vector<std::string>& paths() const { return paths_; }

  // `values` are of paths(), in their order. Truths are 1 and 0; what has no value (0/0) is NaN.
  double value(std::span<const double> values) const;

  // Holds value() of all values within their ranges (interval arithmetic): not always the least
  // such range. For a truth value {1, 1}: true; {0, 0}: false; {0, 1}: either.
  NumberRange range(std::span<const NumberRange> values) const;

 private:
  double value_of(std::size_t node, std::span<const double> values) const;
  NumberRange range_of(std::size_t node, std::span<const NumberRange> values) const;

  std::string text_;
  std::vector<Node> nodes_;  // the last is the whole
  std::vector<std::string> paths_;
  ExpressionKind kind_;
};

Expression parse_expression(std::string_view text, const std::string& file,
                            const std::string& path);

// The value of a path; empty if it does not exist.
using PathValue = std::function<std::optional<double>(const std::string& path)>;

// Errors: InputError where a path has no value or the result is not a finite number.
double evaluate(const Expression& e, const PathValue& value, const std::string& file,
                const std::string& path);

// The number, truth or quantity ("80 GiB", in SI) that a dotted path with [index] leads to in a
// document; nothing where there is none.
std::optional<double> number_at(const Json& document, std::string_view path);

}  // namespace orrery
