// SPDX-License-Identifier: Apache-2.0
//
// The outcome of one option: days from steps, interruptions and checkpoints; energy from days;
// money from both; the range of each; and the prices at which two alternatives cost the same.
//
// Phases that save checkpoints of another size are stretches of their own, each with its interval,
// stalls and restarts; what a failure costs is that of the stretch it falls into.
//
// All closed form, so it can be computed again with a changed input. Rent and purchase count from
// the first step to the last, spares included.
//
// The effect of an input is that of the ends of its range, all else unchanged. A range comes from a
// source, or from the step time's interval. Inputs are taken as independent: the answer's range is
// the root of the sum of squares of ln(moved/middle), on each side. A what-if (a rate at half and
// at twice its value) is shown, but is not part of the range.
//
// Equal prices between two options: the rent of a GPU at which one costs as much as the other.
// Within one option: the utilisation at which buying costs as much as renting (capacity/bill.h:
// bought hardware is paid for 1/utilisation times, electricity once). Empty if a price is missing,
// or if renting is cheaper than the electricity alone.
//
// Another group of GPUs (HeldBeside) fails, draws and is paid for like the first; if one group has
// no price, or they are paid for in two ways, there is no sum.
//
// Leaves out inputs without a stated range. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/bill.h"
#include "capacity/checkpoint.h"
#include "capacity/energy.h"
#include "capacity/goodput.h"
#include "capacity/recovery_policy.h"
#include "core/enum_names.h"
#include "hardware/cluster.h"

namespace orrery {

// Phases one after another whose checkpoints have one size.
struct Stretch {
  std::string phases;  // "pretrain, long"; "" where they have no names
  double share = 1;    // of the training
  Bytes checkpoint{};
  Seconds longest_step{};
};

// GPUs of another group, held for as long as the training takes, without spares: those that
// generate for a learner.
struct HeldBeside {
  Cluster cluster;
  StepLoad load;
  Tariff prices;
};

struct OutcomeInputs {
  Cluster cluster;
  std::int64_t spares = 0;   // systems: nodes, or trays of a rack
  Ranged<Seconds> training;  // all steps, without interruptions
  std::vector<Stretch> stretches = std::vector<Stretch>(1);
  StepLoad load;
  Bytes stored{};  // data set and kept checkpoints
  Bytes left{};    // that all sites send to others
  Storage storage;
  CheckpointPolicy policy;
  Interruptions interruptions;
  std::optional<RecoveryPolicy> recovery;  // none: restarts from the storage
  // The factor of its restarts: a range beyond the sizes that were measured.
  Ranged<double> policy_times{1, 1, 1};
  std::int64_t replicas = 1;
  Tariff prices;
  EnergyModel energy;
  std::optional<HeldBeside> beside;
};

// The reason of the interval between two checkpoints. `written`: a checkpoint begins only after the
// last one is safe. `lost_work`: see kLostWorth.
enum class IntervalBound : std::uint8_t { optimum, given, written, a_step, lost_work };
constexpr EnumNames<IntervalBound> names_of(IntervalBound) {
  return {"optimum", "given", "written", "a step", "lost work"};
}

// Written beside training, a checkpoint costs next to nothing and the optimum comes down to
// seconds, which no storage is bought for. The interval then stays at five minutes, or at the
// shorter one at which failures undo a hundredth of the time. Both are judgements; the second is as
// much as checkpoints may stop training (kStallAllowed of capacity/purchase.h).
inline constexpr Seconds kShortestWorth{300};
inline constexpr double kLostWorth = 0.01;

struct StretchOutcome {
  CheckpointCost checkpoint;
  IntervalBound bound = IntervalBound::optimum;
  Recovery recovery;
  Goodput goodput;
  Seconds training{};  // with slow ranks
};

struct Outcome {
  std::vector<StretchOutcome> stretches;  // as in the inputs
  StretchOutcome largest;                 // the stretch with the largest checkpoint
  Goodput goodput;                        // mean over the training
  Seconds training{};                     // with slow ranks
  Seconds wall{};
  double effective = 1;  // training without slow ranks over the wall clock
  double failures = 0;
  EnergyUse energy;
  Bill bill;
  std::optional<Money> cost;
};

Outcome outcome_of(const OutcomeInputs& in);

// The stretch with the largest checkpoint.
std::size_t largest_checkpoint(const OutcomeInputs& in);

// Training time including slow ranks.
Seconds slowed(Seconds training, const Stragglers& s);

// Nodes that hold the run and its spares; a rack counts as one.
std::int64_t held_nodes(const OutcomeInputs& in);

// GPUs at work, those beside the cluster included.
std::int64_t working_gpus(const OutcomeInputs& in);

// GPUs that are paid for, spares included: bought by the node, those of whole nodes.
std::int64_t paid_gpus(const OutcomeInputs& in);
double gpu_hours(const OutcomeInputs& in, Seconds wall);

struct Sensitivity {
  std::string_view what;
  bool what_if = false;
  Ranged<Seconds> wall;
  Ranged<double> cost;    // in the plan's currency; 0: not known
  Ranged<double> energy;  // joules of the facility
};

Sensitivity compared(std::string_view what, bool what_if, const Outcome& middle, const Outcome& low,
                     const Outcome& high);

// True where it changes days, money or energy.
bool moves_anything(const Sensitivity& s);

// The largest change of days, money and energy from end to end, over the middle.
double width_of(const Sensitivity& s);

void sort_widest_first(std::vector<Sensitivity>& all);

// The inputs with a range and an effect, the largest effect first.
std::vector<Sensitivity> sensitivities(const OutcomeInputs& in);

struct OutcomeRange {
  Ranged<Seconds> wall;
  Ranged<double> cost;
  Ranged<double> energy;
};

// `spread` is the contribution of random failures (capacity/goodput.h).
OutcomeRange range_of(const Outcome& o, const std::vector<Sensitivity>& moved,
                      const Ranged<Seconds>& spread);

MoneyPerSecond rent_for(Money cost, const OutcomeInputs& in, Seconds wall);

// Above 1 buying never pays.
std::optional<double> utilisation_where_buying_pays(const OutcomeInputs& in);

}  // namespace orrery
