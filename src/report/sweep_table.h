// SPDX-License-Identifier: Apache-2.0
//
// The rows of a small sweep as a table for people: what was set, whether it fits, step, tokens a
// second, MFU and peak; below it the point with most tokens a second of those that fit with 80 % or
// more, and the command that shows it. Errors: none.
#pragma once

#include <vector>

#include "core/json.h"
#include "document/document.h"

namespace orrery {

struct SweepPlan;
struct TypedRun;

// `rows` as report/sweep_row.h writes them.
AnswerDocument sweep_document(const SweepPlan& sweep, const std::vector<Json>& rows,
                              const TypedRun& run);

}  // namespace orrery
