// SPDX-License-Identifier: Apache-2.0
//
// A resolved run with everything that is reported of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "insight/advice.h"
#include "insight/remedy.h"

namespace orrery {

struct RunReport {
  ResolvedRun resolved;
  Answer answer;
  std::vector<StageMemory<double>> stages;
  std::optional<Remedy> remedy;                 // of one that does not fit, where it was looked for
  std::optional<std::vector<Advice>> switches;  // of the framework, where they were tried
};

RunReport report_on(ResolvedRun resolved);

// With the framework's switches tried; with a strategy that fits, or the fewest GPUs that do, where
// it does not fit.
RunReport report_with_remedy(const Json& run, const std::string& file, const ConfigLookup& lookup,
                             const std::vector<Fact>& changes = {});

// The best changes, of moves and of switches.
std::vector<Advice> advice_of(const RunReport& r);

inline bool is_feasible(const RunReport& r) { return r.answer.reason == Reason::fits; }

// Offloaded to the drives of one node.
Bytes on_drives(const RunReport& r);

// One line for each thing that is in the way; none where the run is feasible.
std::vector<std::string> reasons_of(const RunReport& r);

}  // namespace orrery
