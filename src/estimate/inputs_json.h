// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as a run file in which nothing is left to default. Errors: none.
#pragma once

#include "core/json_fwd.h"

namespace orrery {

struct ResolvedRun;
struct StrategyRequest;
struct TrainingRequest;

// `cluster` is the user's own object: overrides stay visible as such. `training` is resolved;
// `asked` holds what a resolved strategy does not: where ranks sit, what overlaps, the file of an
// order.
Json inputs_json(const ResolvedRun& resolved, const Json& cluster, const TrainingRequest& training,
                 const StrategyRequest& asked);

}  // namespace orrery
