// SPDX-License-Identifier: Apache-2.0
//
// One fit of the constants, and its result for each.
//
// A constant is not pinned if the data do not bring its spread below `identified_below` of its
// prior's: it stays at the prior and the others are fitted again without it. `moved_by` are the
// sources that pull a constant from its prior, strongest first, by their share of the gradient
// there.
#pragma once

#include <string>
#include <vector>

#include "validate/fit_runs.h"

namespace orrery {

inline constexpr std::size_t kMovers = 3;  // sources that a report names as having moved a constant

struct MovedBy {
  std::string source;
  double share = 0;  // of all pulls, either way
  std::size_t rows = 0;
};

struct ConstantFit {
  double change = 0;  // from the prior, in the parameter's own measure
  double spread = 0;  // one standard deviation of it
  bool pinned = false;
  bool at_bound = false;
  bool used = false;  // some row depends on it
  std::vector<MovedBy> moved_by;
};

struct ConstantsFit {
  std::vector<double> x;  // of FitRuns::problem
  std::vector<ConstantFit> constants;
  std::vector<double> levels;  // ln; by FitRuns::levels
  std::size_t rows = 0;
};

// `looks`: how often slopes are taken anew (calibrate/least_squares.h).
ConstantsFit fit_constants(const FitRuns& runs, const FitSelection& selection, int looks);

// The same fit by the slopes at the prior alone.
FitSolution fit_linear(const FitRuns& runs, const FitSelection& selection);

}  // namespace orrery
