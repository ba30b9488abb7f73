// SPDX-License-Identifier: Apache-2.0
//
// What a search asks of a strategy besides that it fits (`constraints`), and what "better" means
// (`objective`), as expressions over the strategy and its answer.
//
// Paths: the axes by name (`tp`, `micro_batch`, …, or as in a run file, `parallel.tp`), `gpus`,
// `micro_batches`, `recompute_layers`, every metric of `orrery list metrics`, and
// `interval_80.step_time_s[0]` and `[1]`. A constraint is judged as soon as what it reads is known:
// the strategy before anything else, memory before time. Errors: InputError.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/expression.h"
#include "estimate/answer.h"
#include "estimate/run.h"

namespace orrery {

// The metrics as the report room has them, for whoever stands to its left.
struct MetricSource {
  std::vector<std::string> names;
  std::function<double(std::size_t metric, const Run&, const Answer&)> value;
};

enum class Known : std::uint8_t { strategy, memory, answer };

// An expression whose paths are bound to what they mean.
class BoundExpression {
 public:
  BoundExpression(const std::string& text, const MetricSource& metrics, const std::string& file,
                  const std::string& path);

  const std::string& text() const { return expression_.text(); }
  ExpressionKind kind() const { return expression_.kind(); }
  Known needs() const { return needs_; }
  double value(const Run& run, const Answer& answer) const;

 private:
  static constexpr std::size_t kMostPaths = 32;

  struct Operand {
    int kind = 0;
    std::size_t index = 0;
  };

  Operand bind(const std::string& name, const MetricSource& metrics, const std::string& file,
               const std::string& path);
  double value_of(const Operand& o, const Run& run, const Answer& answer) const;

  Expression expression_;
  std::vector<Operand> operands_;
  Known needs_ = Known::strategy;
  std::function<double(std::size_t, const Run&, const Answer&)> metric_;
};

struct Conditions {
  std::vector<BoundExpression> constraints;
  std::optional<BoundExpression> objective;  // nothing: the step time
  bool maximize = false;

  // The first constraint of those that can be judged at `known`, and not earlier, which does not
  // hold; −1: all hold.
  int first_broken(Known known, const Run& run, const Answer& answer) const;

  // Less is better.
  double objective_of(const Run& run, const Answer& answer) const;
};

}  // namespace orrery
