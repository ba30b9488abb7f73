// SPDX-License-Identifier: Apache-2.0
//
// A log of reinforcement learning beside the prediction by phase, as a document and as JSON.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlLog;
struct RlReport;
struct TypedRun;

// `r`: null where no run is given; `run` is that run as it was typed.
AnswerDocument rl_against_document(const RlLog& log, const std::string& file, const RlReport* r,
                                   const TypedRun& run);
Json rl_against_json(const RlLog& log, const RlReport* r);

}  // namespace orrery
