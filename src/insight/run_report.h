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

// One line for each thing that is in the way; none where the run is feasible.
std::vector<std::string> reasons_of(const RunReport& r);

}  // namespace orrery
