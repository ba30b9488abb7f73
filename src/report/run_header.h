// SPDX-License-Identifier: Apache-2.0
//
// What every answer about a run says of the run itself: its header, its assumptions and warnings.
#pragma once

#include <string>

#include "document/document.h"
#include "estimate/resolve.h"

namespace orrery {

// The run in words: model, cluster, strategy, batch; where its constants come from if calibrated.
Section run_header(const ResolvedRun& r);

// What was assumed and what to beware of.
Section run_assumptions(const ResolvedRun& r);

}  // namespace orrery
