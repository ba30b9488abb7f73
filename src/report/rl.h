// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate` and `memory` of a run with training.rl, as documents and as JSON.
#pragma once

#include <vector>

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlReport;
struct TypedRun;

// The head of every answer of such a run: the step, the run, whether it fits.
std::vector<Section> rl_heading(const RlReport& r);

AnswerDocument rl_document(const RlReport& r);
// On one screen, as estimate_summary() (report/estimate.h).
AnswerDocument rl_summary(const RlReport& r, const TypedRun& run);
AnswerDocument rl_memory_document(const RlReport& r);

// The keys of an estimate that a step of reinforcement learning has, with `rl` and `learner`.
Json rl_json(const RlReport& r);
Json rl_memory_json(const RlReport& r);

}  // namespace orrery
