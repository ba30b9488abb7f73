// SPDX-License-Identifier: Apache-2.0
//
// Conditions on a strategy besides fitting (`constraints`), the meaning of "better"
// (`objective`), and the aims of the Pareto front (`pareto`), as expressions over the strategy and
// its answer.
//
// Paths: the axes of numbers by name (`tp`, `micro_batch`, …, or as in a run file, `parallel.tp`),
// `gpus`, `global_batch`, `micro_batches`, `recompute_layers`, every metric of `orrery list
// metrics`, `interval_80.step_time_s[0]` and `[1]`, and for one step `gpu_hours`, `energy_kwh` (the
// stated power of nodes or trays in use, drawn throughout) and `cost` (by the given prices; there
// is no default). A constraint is checked as soon as its inputs are known: the strategy before
// anything else, memory before time. If only a lower bound on the step is known, interval
// arithmetic gives the range of an expression. Errors: InputError.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/expression.h"
#include "estimate/answer.h"
#include "parallel/rules.h"

namespace orrery {

struct Run;

// How a metric moves with the step of a strategy whose memory is known: it is known too; it rises
// or falls; or nothing is known but that it is not negative.
enum class MetricTrend : std::uint8_t { known, rises, falls, unknown };

// The metrics as the report module has them, for whoever stands to its left.
struct MetricSource {
  std::vector<std::string> names;
  std::vector<MetricTrend> trends;
  std::function<double(std::size_t metric, const Run&, const Answer&)> value;
};

// In whatever currency; 0: not given.
struct UnitPrices {
  double gpu_hour = 0;
  double kwh = 0;
};

struct ExpressionSource {
  const MetricSource& metrics;
  UnitPrices prices;
  bool power_known = false;  // of every node that is searched
  std::string file;
};

enum class KnownPart : std::uint8_t { strategy, memory, answer };

// An expression whose paths are bound to what they mean.
class BoundExpression {
 public:
  BoundExpression(const std::string& text, const ExpressionSource& source, const std::string& path);

  const std::string& text() const { return expression_.text(); }
  ExpressionKind kind() const { return expression_.kind(); }
  KnownPart needs() const { return needs_; }
  double value(const Run& run, const Answer& answer) const;

  // The range over all answers with the memory of `least` and a step of at least its step.
  NumberRange range(const Run& run, const Answer& least) const;

 private:
  static constexpr std::size_t kMostPaths = 32;

  struct Operand {
    int kind = 0;
    std::size_t index = 0;
    MetricTrend trend = MetricTrend::known;
  };

  Operand bind(const std::string& name, const ExpressionSource& source, const std::string& path);
  double value_of(const Operand& o, const Run& run, const Answer& answer) const;

  Expression expression_;
  std::vector<Operand> operands_;
  KnownPart needs_ = KnownPart::strategy;
  UnitPrices prices_;
  std::function<double(std::size_t, const Run&, const Answer&)> metric_;
};

// A number of which less is better, or more.
struct Aim {
  BoundExpression expression;
  bool maximize = false;

  // Less is better; what has no value is the worst of all.
  double value(const Run& run, const Answer& answer) const;
  // value() is no less; −infinity where nothing is known.
  double bound(const Run& run, const Answer& least) const;
};

inline constexpr std::size_t kMostAims = 6;

struct Conditions {
  std::vector<BoundExpression> constraints;
  std::optional<Aim> objective;  // nothing: the step time
  std::vector<Aim> pareto;       // up to kMostAims

  // The first constraint of those that can be judged at `known`, and not earlier, which does not
  // hold; −1: all hold.
  int first_broken(KnownPart known, const Run& run, const Answer& answer) const;

  // The first that no answer with a step of at least that of `least` can meet; −1: none.
  int first_hopeless(const Run& run, const Answer& least) const;

  double objective_of(const Run& run, const Answer& answer) const;
  double objective_bound(const Run& run, const Answer& least) const;
};

}  // namespace orrery
