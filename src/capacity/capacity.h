// SPDX-License-Identifier: Apache-2.0
//
// A plan, answered: every option with its days, money, power and how sure they are; which meet what
// is required, which of them is best, and which no other beats in all of time, cost and energy.
//
// A strategy is the run's own or found by search at each size. What breaks a rule of strategies at
// a size, or does not fit, is an option with a reason, not an error. Errors: InputError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capacity/data_needs.h"
#include "capacity/goodput_simulation.h"
#include "capacity/inference.h"
#include "capacity/periodic.h"
#include "capacity/plan.h"
#include "capacity/sensitivity.h"

namespace orrery {

// never_ends: it fails faster than it gets on.
enum class OptionStatus : std::uint8_t { fits, does_not_fit, illegal, never_ends };
inline constexpr std::array<std::string_view, 4> kOptionStatusNames = {"fits", "does not fit",
                                                                       "illegal", "never ends"};

struct OptionAnswer {
  std::string scenario;
  std::string model;
  std::int64_t gpus = 0;
  OptionStatus status = OptionStatus::fits;
  std::string reason;              // where it does not fit
  std::optional<ResolvedRun> run;  // of the first phase, its strategy as used
  Answer answer;                   // of it, at its full batch
  TrainingTime training;
  OutcomeInputs inputs;
  Outcome outcome;
  std::vector<Sensitivity> sensitivities;
  SimulatedGoodput simulated;
  OutcomeRange range;
  DataNeeds data;
  InferenceNeeds inference;
  std::vector<PeriodicSync> periodic;    // none where data parallelism exposes nothing
  std::optional<double> buying_pays_at;  // utilisation, where both prices are known
  std::int64_t spares_advised = 0;       // with which less than 0.1 % of the time is waited
  std::vector<Assumption> assumptions;
  const OptionPlan* plan = nullptr;
};

// What an option lacks of a requirement, the worst as a factor; 1 or less: it meets it.
struct Shortfall {
  double factor = 0;
  std::string text;      // "takes 71 days of 60"
  bool unknown = false;  // no price where a budget is asked
};

struct RequirementAnswer {
  Requirement requirement;
  std::vector<std::size_t> met;         // options, the best first
  std::optional<std::size_t> smallest;  // fewest GPUs of those
  std::optional<std::size_t> nearest;   // where none meets it
  std::string nearest_text;
};

// The rent of its GPUs at which an option costs what the best one does.
struct BreakEven {
  std::size_t option = 0;
  MoneyPerSecond rent;
};

struct CapacityAnswer {
  std::vector<OptionAnswer> options;  // as in the plan
  RankBy rank = RankBy::cost;         // by time where no option has a price
  std::vector<std::size_t> ranked;    // those that fit, the best first
  std::vector<std::size_t> front;     // no other is better in one and as good in the rest
  std::vector<RequirementAnswer> requirements;
  std::vector<BreakEven> break_evens;  // of all that fit against the best with a price
};

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context);

Shortfall shortfall(const Requirement& q, const OptionAnswer& o);

// Options that fit and no other dominates in time, cost (where all have one) and energy.
std::vector<std::size_t> pareto_front(const std::vector<OptionAnswer>& options);

}  // namespace orrery
