// SPDX-License-Identifier: Apache-2.0
//
// The answer to `diagnose`: what a text states, beside what is predicted, causes with their
// likelihood, and what to do next. Errors: none.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct Diagnosis;
struct TypedRun;

AnswerDocument diagnosis_document(const Diagnosis& d, const TypedRun& run);
// Messages of memory alone, what each states and its causes.
AnswerDocument messages_document(const Diagnosis& d);
Json diagnosis_json(const Diagnosis& d);

}  // namespace orrery
