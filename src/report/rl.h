// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate` and `memory` of a run with training.rl, as documents and as JSON.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlReport;

AnswerDocument rl_document(const RlReport& r);
AnswerDocument rl_memory_document(const RlReport& r);

// The keys of an estimate that a step of reinforcement learning has, with `rl` and `learner`.
Json rl_json(const RlReport& r);
Json rl_memory_json(const RlReport& r);

}  // namespace orrery
