// SPDX-License-Identifier: Apache-2.0
//
// A run whose strategy is still to be found (explore): all else is resolved as resolve_run() does,
// `run.strategy` and `inputs` are empty. Errors: InputError.
#pragma once

#include <optional>
#include <string>

#include "estimate/resolve.h"

namespace orrery {

struct OpenRun {
  ResolvedRun resolved;
  StrategyRequest request;
  std::optional<std::int64_t> micro_batch;  // where it is given
};

OpenRun resolve_open(const Json& run, const std::string& file, const ConfigLookup& lookup);

// The same of the learner of a run with training.rl, which `resolved.rl` then holds. Its sequence
// and its batch are those of the degrees that the run gives.
OpenRun resolve_open_learner(const Json& run, const std::string& file, const ConfigLookup& lookup);

}  // namespace orrery
