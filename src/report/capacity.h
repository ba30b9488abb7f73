// SPDX-License-Identifier: Apache-2.0
//
// A capacity plan and its answer for a person, for programs, for a spreadsheet; and a report for
// decision makers, with options side by side.
//
// JSON is in SI units, days, hours and the plan's currency, each in its key; what no price or rate
// was given for is null. A line of CSV is an option.
#pragma once

#include "document/document.h"
#include "insight/capacity_report.h"

namespace orrery {

// One page; with `all` also power caps, memory of serving, what matters and every source.
AnswerDocument capacity_document(const CapacityReport& r, bool all);
AnswerDocument capacity_page(const CapacityReport& r);
Json capacity_json(const CapacityReport& r);

}  // namespace orrery
