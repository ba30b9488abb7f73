// SPDX-License-Identifier: Apache-2.0
//
// The worth of knowing before buying: the expected loss of the present choice, and how much of
// it a measurement of one of two options would spare.
//
// Costs of two options are lognormal around their predicted values, each by the error of its
// stack's step on its device (80 % of it inside the step's interval); prices are taken as given.
// The choice is the option of less expected cost. With everything known beforehand the other would
// be taken where it turns out cheaper:
//
//   expected loss = E[max(0, X − Y)] = E[X]·Φ(d) − E[Y]·Φ(d − s),  d = ln(E[X]/E[Y])/s + s/2,
//   s² = σ_X² + σ_Y²
//
// (X the choice, Y the other; W. Margrabe, The value of an option to exchange one asset for
// another, Journal of Finance 33 (1978)). Measuring one option alone leaves σ of that one: its
// worth is at most the same with s = σ of the measured. Errors of one stack on one device are the
// same error: such a pair has nothing to learn. Leaves out: deadlines that a slower choice misses,
// the error that a measurement leaves, options after the second. Units: the plan's currency.
// Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "insight/capacity_report.h"

namespace orrery {

struct UncertainCost {
  double median = 0;
  double sigma = 0;  // of its logarithm

  double mean() const;
};

// E[max(0, X − Y)]; `s`: of the errors that are learned before the choice.
double expected_excess(const UncertainCost& x, const UncertainCost& y, double s);

struct StepMeasurement {
  std::size_t option = 0;
  Money worth;                   // at most
  std::int64_t gpus = 0;         // whole nodes of the smallest job that fits (what_if.h)
  std::optional<Money> of_week;  // what renting them for a week costs
};

struct InformationValue {
  std::size_t choice = 0;
  std::size_t other = 0;
  Money expected_loss;
  std::vector<StepMeasurement> measurements;  // of the choice and of the other, the worthier first
};

// The next of another scenario or model, else the next; nothing for a lone option.
std::optional<std::size_t> second_option(const CapacityReport& r, std::size_t best);

// Nothing where one of the two has no cost, or their errors are the same.
std::optional<InformationValue> value_of_information(const CapacityReport& r, std::size_t best);

}  // namespace orrery
