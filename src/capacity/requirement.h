// SPDX-License-Identifier: Apache-2.0
//
// What a plan requires, and whether an option meets it.
//
// Deadline, budget and power each count for themselves: an option without a price is still held
// against the deadline, and its budget is named as not judged. Leaves out wishes (the best of what
// meets them is capacity/ranking.h). Units: SI. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/money.h"
#include "orrery/quantity.h"

namespace orrery {

struct CapacityPlan;
struct OptionAnswer;

struct Requirement {
  std::string name;
  std::optional<Seconds> deadline;
  std::optional<Money> budget;
  std::optional<Watts> power;
  bool sure = false;  // by the upper end of days and cost, not by their middle
};

// What an option lacks of a requirement, the worst as a factor; 1 or less: it lacks nothing that
// can be judged.
struct Shortfall {
  double factor = 0;
  std::string text;      // "takes 71.0 days of 60.0 days"
  bool unknown = false;  // a budget is asked and the option has no price
};

Shortfall shortfall(const Requirement& q, const OptionAnswer& o);

// unpriced: meets what can be judged, and a budget that is asked cannot.
enum class Standing : std::uint8_t { meets, unpriced, misses };

Standing standing(const Requirement& q, const OptionAnswer& o);

// The worst over all that a plan requires; meets where it requires nothing.
Standing standing(const CapacityPlan& plan, const OptionAnswer& o);

struct RequirementAnswer {
  Requirement requirement;
  std::vector<std::size_t> met;         // options, the best first
  std::vector<std::size_t> unpriced;    // those that meet all but a budget they have no price for
  std::optional<std::size_t> smallest;  // fewest GPUs of `met`, or else of `unpriced`
  std::optional<std::size_t> nearest;   // where both are empty
  std::string nearest_text;
};

// `ranked`: the options that fit, the best first.
RequirementAnswer judge(const Requirement& q, const std::vector<OptionAnswer>& options,
                        const std::vector<std::size_t>& ranked);

}  // namespace orrery
