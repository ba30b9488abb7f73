// SPDX-License-Identifier: Apache-2.0
//
// Options of a request that set keys of a run file, a cluster or a plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/overrides.h"
#include "engine/request.h"

namespace orrery {

// An option `key` that sets `path`; nothing where it is absent. Errors: InputError.
std::optional<Override> given_override(Request& request, const std::string& key,
                                       const std::string& path);

// `set`: {"parallel.tp": 8}, or a list of PATH=VALUE. Errors: InputError.
std::vector<Override> given_sets(Request& request);

}  // namespace orrery
