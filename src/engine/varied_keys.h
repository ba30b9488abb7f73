// SPDX-License-Identifier: Apache-2.0
//
// Axes of a sweep that a command line says: "tp=1,2,4", "gpus=64..512", "cluster.node=8xA100,h100".
//
// The key is a path of a run file or a flag of a run. Values stand between commas, as --set takes
// them; "a..b" of whole numbers above 0 are a and its doublings up to b; a list of JSON has values
// that hold commas. Errors: InputError.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace orrery {

// {"parallel.tp": [1, 2, 4], …} in the order given: the axes of a sweep (explore/sweep.h).
Json varied_axes(const std::vector<std::string>& varied);

}  // namespace orrery
