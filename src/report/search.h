// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search`: the best strategies, what every family of the others lost, and, where a
// page is asked for, all of them as points.
#pragma once

#include "document/document.h"
#include "insight/search_report.h"

namespace orrery {

Json search_json(const SearchReport& r);
// rows: the best. Without `all` on one screen: not what each value loses, nor the rules. `run`: as
// it is typed, for the last lines.
AnswerDocument search_document(const SearchReport& r, const TypedRun& run, bool all);

}  // namespace orrery
