// SPDX-License-Identifier: Apache-2.0
//
// Parts of a run that several files say, as one run. A key that two parts say differently is left
// open with both values; what one file assumes gives way to what another says. `given` is the run
// of the command line, over which nothing is derived. Errors: none.
#pragma once

#include <vector>

#include "exchange/foreign.h"

namespace orrery {

// At least one part.
ImportedRun combined(std::vector<ImportedRun> parts, const Json& given);

}  // namespace orrery
