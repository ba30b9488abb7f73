// SPDX-License-Identifier: Apache-2.0
//
// The answer to `diagnose`: what a text states, beside what is predicted, causes with their
// likelihood, and what to do next. Errors: none.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct Diagnosis;
struct RlReport;
struct TypedRun;

AnswerDocument diagnosis_document(const Diagnosis& d, const TypedRun& run);
Json diagnosis_json(const Diagnosis& d);

// A message of memory beside a run of reinforcement learning, whose phases hold more than its
// learner does.
AnswerDocument rl_diagnosis_document(const Diagnosis& d, const RlReport& r, const TypedRun& run);
Json rl_diagnosis_json(const Diagnosis& d, const RlReport& r);

}  // namespace orrery
