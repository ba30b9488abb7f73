// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate`, `memory` and `comm` of a run on several kinds of node, as documents
// and as JSON: the keys of an estimate, and groups, stages, replicas and links.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct MixedReport;
struct TypedRun;

// The model, the strategy and the groups of a run, at the head of each answer.
Section mixed_header(const MixedReport& r);

AnswerDocument mixed_document(const MixedReport& r);
// On one screen, as estimate_summary() (report/estimate.h).
AnswerDocument mixed_summary(const MixedReport& r, const TypedRun& run);
AnswerDocument mixed_memory_document(const MixedReport& r);
AnswerDocument mixed_comm_document(const MixedReport& r);

Json mixed_json(const MixedReport& r);
Json mixed_memory_json(const MixedReport& r);
Json mixed_comm_json(const MixedReport& r);

Json mixed_layout_json(const MixedReport& r);  // groups, links, stages, replicas

}  // namespace orrery
