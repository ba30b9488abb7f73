// SPDX-License-Identifier: Apache-2.0
//
// Codecs of a run that no message of a step passes, as "cp, dp all-to-all"; "" where all do.
//
// Seen from one estimate. Leaves out what another dimension's codec stands in for (edp, etp) and
// the shared embedding, which not every stage sends. Errors: none; the run is legal.
#pragma once

#include <string>

#include "estimate/run.h"

namespace orrery {

std::string idle_codecs(const Run& run);

}  // namespace orrery
