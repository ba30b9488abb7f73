// SPDX-License-Identifier: Apache-2.0
//
// The answer to `compare` of runs with training.rl, as a document and as JSON.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlComparison;

AnswerDocument rl_comparison_document(const RlComparison& c);
Json rl_comparison_json(const RlComparison& c);

}  // namespace orrery
