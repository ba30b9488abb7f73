// SPDX-License-Identifier: Apache-2.0
//
// The operator list of a run as one rank has it: sizes, parameters, FLOPs, what is saved for
// backward, and the exchanges. One micro batch; the list that every estimate is made of.
#pragma once

#include "document/table.h"
#include "estimate/run.h"

namespace orrery {

Table operator_list(const Run& run);

}  // namespace orrery
