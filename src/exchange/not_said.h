// SPDX-License-Identifier: Apache-2.0
//
// The keys of a run without an equivalent in another tool's settings, found by reading them back.
//
// The run that was read is completed from the original (its cluster, its framework, and every key
// that is missing or illegal without it), resolved, and compared key by key with the original.
#pragma once

#include <vector>

#include "exchange/foreign.h"

namespace orrery {

// `run` is the run file that `resolved` came from.
std::vector<NotSaid> not_said(const ResolvedRun& resolved, const Json& run, const Json& imported,
                              const ConfigLookup& lookup);

}  // namespace orrery
