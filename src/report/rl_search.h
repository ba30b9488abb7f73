// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search` of a run with training.rl, as a document and as JSON.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlSearchReport;
struct TypedRun;

AnswerDocument rl_search_document(const RlSearchReport& r, const TypedRun& run);
Json rl_search_json(const RlSearchReport& r);

}  // namespace orrery
