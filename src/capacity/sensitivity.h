// SPDX-License-Identifier: Apache-2.0
//
// The effect of each input at the ends of its range, all else unchanged, and the resulting ranges
// of the answer.
//
// A range comes from a source, or from the step time's interval. Inputs are taken as independent:
// the answer's range is the root of the sum of squares of ln(moved/middle), on each side. A what-if
// (a rate at half and at twice its value) is shown, but is not part of the range. Leaves out:
// inputs without a stated range.
#pragma once

#include <string_view>
#include <vector>

#include "capacity/outcome.h"

namespace orrery {

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

}  // namespace orrery
