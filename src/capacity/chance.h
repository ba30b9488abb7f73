// SPDX-License-Identifier: Apache-2.0
//
// The probability that an option meets what is required.
//
// Days T and cost C are taken as lognormal on each side of the predicted value, 80 % of it inside
// their range. Cost is money per hour times hours, so that the error of the time is in both:
//
//   ln T = ln T₀ + σ_T·z,   ln C = ln C₀ + σ_T·z + σ_P·w,   σ_P² = σ_C² − σ_T²
//
// with independent normal z (the time: step, failures, recovery) and w (the rest of the cost's
// range: prices), each σ of the side on which its variable lies. The chance of both limits is the
// mean over z, within the deadline, of the chance that w keeps the budget. Whether the run fits is
// independent of both. Leaves out what has no range: days of a purchase until it runs, prices
// without one. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "capacity/capacity.h"

namespace orrery {

// Probability that a value with this range is at most `limit`.
double chance_within(const Ranged<double>& value, double limit);

struct LimitedValue {
  Ranged<double> value;
  double limit = 0;
};

// Probability that time and cost are both within their limits; at most that of either.
double chance_within_both(const LimitedValue& time, const LimitedValue& cost);

struct Chance {
  std::optional<double> deadline;  // of the shortest that is required
  std::optional<double> budget;    // of the smallest; empty without a price
  double fits = 1;
  double all = 1;  // of all that can be judged
};
Chance chance_of(const std::vector<Requirement>& requirements, const OptionAnswer& o);

}  // namespace orrery
