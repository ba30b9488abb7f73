// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search`: the best strategies, what every family of the others lost, and, where a
// page is asked for, all of them as points.
#pragma once

#include "document/document.h"
#include "insight/search_report.h"

namespace orrery {

Json search_json(const SearchReport& r);
AnswerDocument search_document(const SearchReport& r);  // rows: the best

}  // namespace orrery
