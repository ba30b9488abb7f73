// SPDX-License-Identifier: Apache-2.0
//
// The answer to `limits`: a row a limit, as a document and as JSON. `run` is the run as it is
// typed, for the next command. Errors: none.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct LimitsReport;
struct TypedRun;

AnswerDocument limits_document(const LimitsReport& r, const TypedRun& run);
Json limits_json(const LimitsReport& r);

}  // namespace orrery
