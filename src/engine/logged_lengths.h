// SPDX-License-Identifier: Apache-2.0
//
// Lengths of prompts and answers that a run of reinforcement learning leaves open, as its log
// prints them: the means of its steps. Errors: none.
#pragma once

#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"

namespace orrery {

struct RlLog;

void take_lengths(const RlLog& log, Json& run, std::vector<Fact>& changes);

}  // namespace orrery
