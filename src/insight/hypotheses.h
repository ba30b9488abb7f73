// SPDX-License-Identifier: Apache-2.0
//
// Ways in which a run that was measured may differ from its run file: the candidates for why a step
// or a memory is another than the predicted one (causes.h, memory_causes.h). Each prior is a
// judgement of how often files and machines differ so. Errors: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimate/workspace.h"
#include "insight/advice.h"

namespace orrery {

struct RunReport;

struct Hypothesis {
  const char* what;
  const char* change;  // as it is typed; "": what differs from the run; kWithoutKey: no key says it
  double prior;
  Move move;
  const char* check;             // what would decide
  const char* option = nullptr;  // of the framework, which `change` turns; none: it has no such one
};
inline constexpr const char* kWithoutKey = "-";

std::span<const Hypothesis> hypotheses();

// The run so changed, recompute that is open settled anew. False where the change is none, or is
// illegal.
bool make_hypothesis(const Hypothesis& h, const RunReport& r, Workspace& workspace, Run& run);

// The prior of a hypothesis; for recompute that the run leaves open, the share of runs that have it
// where that is more (estimate/open_keys.h).
double prior_of(const Hypothesis& h, const RunReport& r, const Run& changed);

// The change as a command line takes it; "" where no key says it.
std::vector<Setting> change_settings(const Hypothesis& h, const RunReport& r, const Run& run);
std::string change_words(const Hypothesis& h, const RunReport& r, const Run& run);

}  // namespace orrery
