// SPDX-License-Identifier: Apache-2.0
//
// The requirements of a plan, whether an option meets them, and the order and the Pareto front of
// the options.
//
// Deadline, budget and power are judged separately: an option without a price is still compared
// with the deadline, and its budget is reported as not judged.
//
// Order: options that meet the requirements, by the class of their chance (at least 0.8, at least
// 0.5, less: a judgement, as a chance is not known more exactly), then by the upper end of cost,
// time or energy, then the faster; after them those that miss, the nearest first. Where a budget is
// asked, options without a price come after all others. An option whose device has no published or
// measured runs comes before one that has only where its upper end is below the other's middle. The
// front has the options that no other one dominates. Leaves out options that do not fit. Units: SI.
// Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/money.h"
#include "orrery/quantity.h"

namespace orrery {

struct CapacityPlan;
struct OptionAnswer;

struct Requirement {
  std::string name;
  std::optional<Seconds> deadline;
  std::optional<Money> budget;
  std::optional<Watts> power;
  bool sure = false;  // compares the upper end of days and cost, not their middle

  // A limit without an aim is used up: the most GPUs within it. Else the fewest that reach the aim.
  bool wants_most() const { return !deadline; }
};

// The least power that is required; nothing where none is.
std::optional<Watts> least_power(const std::vector<Requirement>& requirements);

// The distance of an option from a requirement, as the worst factor; at most 1: it meets all that
// can be judged.
struct Shortfall {
  double factor = 0;
  std::string text;      // "takes 71.0 days of 60.0 days"
  bool unknown = false;  // a budget is asked and the option has no price
};

Shortfall shortfall(const Requirement& q, const OptionAnswer& o);

// unpriced: meets all that can be judged; its budget cannot.
enum class Standing : std::uint8_t { meets, unpriced, misses };

Standing standing(const Requirement& q, const OptionAnswer& o);

// The worst verdict over all requirements; `meets` without requirements.
Standing standing(const CapacityPlan& plan, const OptionAnswer& o);

struct RequirementAnswer {
  Requirement requirement;
  std::vector<std::size_t> met;       // options, the best first
  std::vector<std::size_t> unpriced;  // meet all but a budget, for which they have no price
  // Fewest GPUs of `met`, or else of `unpriced`; the most of a limit without an aim.
  std::optional<std::size_t> smallest;
  std::optional<std::size_t> nearest;  // if both are empty
  std::string nearest_text;
};

// `ranked`: the options that fit, the best first.
RequirementAnswer judge(const Requirement& q, const std::vector<OptionAnswer>& options,
                        const std::vector<std::size_t>& ranked);

struct CapacityPlan;
struct OptionAnswer;

enum class RankBy : std::uint8_t { cost, time, energy, gpus };
constexpr EnumNames<RankBy> names_of(RankBy) { return {"cost", "time", "energy", "gpus"}; }

// By cost only if an option has one; else by GPUs if there is a deadline, or by time.
RankBy rank_of(const CapacityPlan& plan, const std::vector<OptionAnswer>& options);

// Options that fit, the best first.
std::vector<std::size_t> ranked(const CapacityPlan& plan, RankBy by,
                                const std::vector<OptionAnswer>& options);

// Options that fit and that no other dominates in time, cost (if all have one) and energy.
std::vector<std::size_t> pareto_front(const std::vector<OptionAnswer>& options);

}  // namespace orrery
