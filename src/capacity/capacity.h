// SPDX-License-Identifier: Apache-2.0
//
// The answer to a plan: every option with its days, money and power, and their ranges; which
// options meet the requirements, which of them is best, and which no other beats in time, cost and
// energy.
//
// The strategy is the run's own, or searched at each size if the plan asks for it or the run names
// none. An option that breaks a rule of strategies, or does not fit, has a reason; it is no error.
// Errors: InputError.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capacity/data_needs.h"
#include "capacity/goodput.h"
#include "capacity/materials.h"
#include "capacity/outcome.h"
#include "capacity/piece_run.h"
#include "capacity/plan.h"
#include "capacity/purchase.h"
#include "capacity/requirement.h"
#include "capacity/what_if.h"
#include "core/enum_names.h"
#include "estimate/resolve.h"

namespace orrery {

struct RlStep;          // rl/step.h
struct LayoutsLeftOut;  // capacity/layouts_left_out.h

// never_ends: failures come faster than progress.
enum class OptionStatus : std::uint8_t { fits, does_not_fit, illegal, never_ends };
constexpr EnumNames<OptionStatus> names_of(OptionStatus) {
  return {"fits", "does not fit", "illegal", "never ends"};
}

// The same training under another policy of recovery.
struct PolicyAnswer {
  std::string name;
  bool applies = true;      // else it restarts one of several replicas, and there is one
  std::int64_t spares = 0;  // systems: those given, or enough for this policy
  Outcome outcome;
};

// False: under it failures come faster than progress.
inline bool ends(const PolicyAnswer& p) { return !never_ends(p.outcome.goodput); }

struct OptionAnswer {
  std::string scenario;
  std::string model;
  std::int64_t gpus = 0;
  OptionStatus status = OptionStatus::fits;
  std::string reason;              // if it does not fit
  std::optional<ResolvedRun> run;  // of the first phase, its strategy as used
  Answer answer;                   // of that run, at its full batch
  // Reinforcement learning only: `run` is then the learner, and `answer` one update.
  std::shared_ptr<const RlStep> rl;
  KeptJson document;  // of that run, before it was resolved
  TrainingTime training;
  std::vector<PieceRun> pieces;  // as in `training`
  OutcomeInputs inputs;
  Outcome outcome;
  std::vector<Sensitivity> sensitivities;
  SimulatedGoodput simulated;
  std::vector<PolicyAnswer> policies;  // as in the plan
  OutcomeRange range;
  DataNeeds data;
  std::vector<InferenceNeeds> inference;  // by batch size
  PeriodicSyncs periodic;
  std::vector<PowerCapped> capped;        // by falling cap
  std::optional<Seconds> late_gradients;  // days' time, where gradients arrive one step late
  PurchaseNeeds needs;
  std::vector<MaterialLine> materials;   // where the plan asks for them
  std::optional<double> buying_pays_at;  // utilisation, if both prices are known
  std::int64_t spares_advised = 0;       // enough to wait less than 0.1 % of the time
  std::vector<Assumption> assumptions;
  std::shared_ptr<const LayoutsLeftOut> left_out;  // null: its strategy was not searched
  const OptionPlan* plan = nullptr;
};

// The rent of its GPUs at which an option costs as much as the best one.
struct BreakEven {
  std::size_t option = 0;
  MoneyPerSecond rent;
};

// Fewer GPUs than the smallest that the run's global batch allows, at another batch.
struct OtherBatch {
  std::int64_t gpus = 0;
  std::int64_t global_batch = 0;
  Seconds wall{};
  std::optional<Money> cost;
};

// The sizes tried for an option whose smallest size is wanted.
struct SizesTried {
  std::string scenario;
  std::string model;
  bool searched = false;      // a strategy was searched at each size; else the sizes of the layout
  std::int64_t tried = 0;     // sizes, refused ones included
  std::int64_t refused = 0;   // illegal, too big for their memory, or never ending
  std::int64_t least = 0;     // GPUs
  std::int64_t most = 0;      // GPUs
  std::int64_t left_out = 0;  // sizes below the answer that were not tried: too many
  std::int64_t beyond_power = 0;  // sizes that no cap keeps within the power: not tried
  std::optional<OtherBatch> other_batch;
};

// The probability that memory suffices: in every phase of a step of reinforcement learning, else of
// the run.
double fit_probability(const OptionAnswer& o);
bool fits_at_risk(const OptionAnswer& o);

struct CapacityAnswer {
  std::vector<OptionAnswer> options;  // as in the plan
  RankBy rank = RankBy::cost;         // not by cost if no option has one
  std::vector<std::size_t>
      ranked;  // options that fit, the best first; those that meet the requirements before the rest
  std::vector<std::size_t> front;  // no other is better in one aim and as good in the rest
  std::vector<RequirementAnswer> requirements;
  std::vector<SizesTried> sizes_tried;  // one for each option that asks for the smallest size
  std::vector<BreakEven> break_evens;   // of all options that fit, against the best with a price
  bool is_stopped = false;              // on request: nothing is judged
};

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context);

}  // namespace orrery
