// SPDX-License-Identifier: Apache-2.0
//
// A plan, answered: every option with its days, money, power and how sure they are; which meet what
// is required, which of them is best, and which no other beats in all of time, cost and energy.
//
// A strategy is the run's own, or found by search at each size: where that is asked, and where a
// run names none. What breaks a rule of strategies at a size, or does not fit, is an option with a
// reason, not an error. Errors: InputError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capacity/data_needs.h"
#include "capacity/goodput_simulation.h"
#include "capacity/inference.h"
#include "capacity/periodic.h"
#include "capacity/plan.h"
#include "capacity/ranking.h"
#include "capacity/requirement.h"
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
  std::vector<InferenceNeeds> inference;  // by the batch it serves
  PeriodicSyncs periodic;
  std::optional<double> buying_pays_at;  // utilisation, where both prices are known
  std::int64_t spares_advised = 0;       // with which less than 0.1 % of the time is waited
  std::vector<Assumption> assumptions;
  const OptionPlan* plan = nullptr;
};

// The rent of its GPUs at which an option costs what the best one does.
struct BreakEven {
  std::size_t option = 0;
  MoneyPerSecond rent;
};

// Of an option whose smallest size was sought: what was looked at.
struct SizesTried {
  std::string scenario;
  std::string model;
  bool searched = false;      // a strategy for each size; else the layout's own sizes
  std::int64_t tried = 0;     // sizes, those that were refused included
  std::int64_t refused = 0;   // illegal, too big for their memory, or never ending
  std::int64_t least = 0;     // GPUs
  std::int64_t most = 0;      // GPUs
  std::int64_t left_out = 0;  // sizes below the answer that stand in doubt: too many to try
};

struct CapacityAnswer {
  std::vector<OptionAnswer> options;  // as in the plan
  RankBy rank = RankBy::cost;         // not by cost where no option has one
  std::vector<std::size_t>
      ranked;  // those that fit: what meets the requirements, then the rest, the best first
  std::vector<std::size_t> front;  // no other is better in one and as good in the rest
  std::vector<RequirementAnswer> requirements;
  std::vector<SizesTried> sizes_tried;  // one for each option of the plan that asks the smallest
  std::vector<BreakEven> break_evens;   // of all that fit against the best with a price
};

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context);

}  // namespace orrery
