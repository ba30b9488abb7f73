// SPDX-License-Identifier: Apache-2.0
//
// How likely an option meets what is required, and what would make it fail.
//
// Days and cost are taken as lognormal on each side of the predicted value, 80 % of it inside their
// range. Both move with the step, so that the chance of both is the lesser of the two; whether the
// run fits is independent of them. Leaves out what has no range: days of a purchase until it runs,
// prices without one. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "capacity/capacity.h"

namespace orrery {

// Probability that a value with this range is at most `limit`.
double chance_within(const Ranged<double>& value, double limit);

struct Chance {
  std::optional<double> deadline;  // the least over the requirements
  std::optional<double> budget;    // empty without a price
  double fits = 1;
  double all = 1;
};
Chance chance_of(const std::vector<Requirement>& requirements, const OptionAnswer& o);

// By how much a step may be longer than predicted, 0.5 for half as long again, before a
// requirement is missed; empty without one that a step moves.
std::optional<double> slack_of_step(const std::vector<Requirement>& requirements,
                                    const OptionAnswer& o);

// The highest cap of a GPU's power under which an option that misses a requirement meets all;
// nothing where none does, or where a requirement must be met surely, whose ranges no cap has.
const PowerCapped* cap_that_meets(const std::vector<Requirement>& requirements,
                                  const OptionAnswer& o);

// The lowest cap below the option's own that costs at most 5 % of the time (a judgement), takes
// less energy and keeps `limit`; nothing where none does.
const PowerCapped* cap_that_saves(Watts limit, const OptionAnswer& o);

}  // namespace orrery
