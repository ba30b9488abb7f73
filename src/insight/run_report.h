// SPDX-License-Identifier: Apache-2.0
//
// A resolved run with everything that is reported of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/resolve.h"

namespace orrery {

struct RunReport {
  ResolvedRun resolved;
  Answer answer;
  std::vector<StageMemory<double>> stages;
};

RunReport report_on(ResolvedRun resolved);

inline bool is_feasible(const RunReport& r) { return r.answer.reason == Reason::fits; }

// That the device holds what it needs (cached blocks would be given back), by the interval of its
// peak; 0 where something else is in the way.
double fit_probability(const RunReport& r);

// "fits" (0.95 or more), "likely" (0.8), "tight", "does not fit" (predicted so).
std::string_view fit_words(const RunReport& r);

// One line for each thing that is in the way; none where the run is feasible.
std::vector<std::string> reasons_of(const RunReport& r);

}  // namespace orrery
