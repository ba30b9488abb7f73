// SPDX-License-Identifier: Apache-2.0
//
// A message of memory beside a run of reinforcement learning, whose phases hold more than its
// learner does: what the message states, then the estimate of all phases. Errors: none.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct Diagnosis;
struct RlReport;
struct TypedRun;

AnswerDocument rl_diagnosis_document(const Diagnosis& d, const RlReport& r, const TypedRun& run);
Json rl_diagnosis_json(const Diagnosis& d, const RlReport& r);

}  // namespace orrery
