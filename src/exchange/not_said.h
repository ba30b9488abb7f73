// SPDX-License-Identifier: Apache-2.0
//
// What another tool's words do not say of a run, found by reading them back.
//
// What was read is completed from the run (its cluster, its framework, whatever is missing or not
// legal without the rest), resolved, and compared key by key with the run as resolved.
#pragma once

#include <vector>

#include "exchange/foreign.h"

namespace orrery {

// `run` is the run file that `resolved` came from.
std::vector<NotSaid> not_said(const ResolvedRun& resolved, const Json& run, const Json& imported,
                              const ConfigLookup& lookup);

}  // namespace orrery
