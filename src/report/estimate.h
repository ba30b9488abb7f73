// SPDX-License-Identifier: Apache-2.0
//
// The answer to `estimate` as a document, and the parts of it that other commands say too. Labels
// come from report/metrics.h.
#pragma once

#include "document/document.h"
#include "insight/run_report.h"

namespace orrery {

AnswerDocument estimate_document(const RunReport& r);

Phrase verdict_of(const RunReport& r);      // "fits"
Phrase step_text(const Answer& a);          // "17.25 s (80 % interval 16.4 s to 18.1 s)"
Section time_section(const RunReport& r);   // parts of the step as bars
Section limit_section(const RunReport& r);  // what limits, and what would help

}  // namespace orrery
