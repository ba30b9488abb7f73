// SPDX-License-Identifier: Apache-2.0
//
// What matters: each input moved to the ends of its range, all else as it is; and the ranges of the
// answer that follow.
//
// A range is what a source states, or the step time's interval. Ranges of inputs are taken for
// independent: the answer's is the root of the sum of squares of ln(moved/middle), to either side.
// A what-if (a rate at half and at twice what it is) is shown and not part of the range.
// Leaves out: inputs without a range, which are as uncertain as ever.
#pragma once

#include <string_view>
#include <vector>

#include "capacity/outcome.h"

namespace orrery {

struct Sensitivity {
  std::string_view what;
  bool what_if = false;
  Ranged<Seconds> wall;
  Ranged<double> cost;    // in the plan's currency; 0 where not known
  Ranged<double> energy;  // joules of the facility
};

Sensitivity compared(std::string_view what, bool what_if, const Outcome& middle, const Outcome& low,
                     const Outcome& high);

// Whether it moves days, money or energy at all.
bool moves_anything(const Sensitivity& s);

// The larger of what it moves of days, money and energy, of the middle: from end to end.
double width_of(const Sensitivity& s);

void sort_widest_first(std::vector<Sensitivity>& all);

// The inputs that have a range and move something, the one that moves most first.
std::vector<Sensitivity> sensitivities(const OutcomeInputs& in);

struct OutcomeRange {
  Ranged<Seconds> wall;
  Ranged<double> cost;
  Ranged<double> energy;
};

// `spread` is what failures drawn by chance add (capacity/goodput_simulation.h).
OutcomeRange range_of(const Outcome& o, const std::vector<Sensitivity>& moved,
                      const Ranged<Seconds>& spread);

}  // namespace orrery
