// SPDX-License-Identifier: Apache-2.0
//
// The answer to `estimate` and `memory` for a person at a terminal of 100 columns. Every number has
// its unit; labels come from report/metrics.h.
#pragma once

#include <string>

#include "document/words.h"
#include "insight/run_report.h"

namespace orrery {

std::string estimate_text(const RunReport& r, const Style& style);

// Header, peak and the table of stages.
std::string memory_text(const RunReport& r, const Style& style);

// The run in words, four lines.
std::string header_text(const ResolvedRun& r, const Style& style);

}  // namespace orrery
