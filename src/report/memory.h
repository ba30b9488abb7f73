// SPDX-License-Identifier: Apache-2.0
//
// The answer to `memory` as a document: bars of the fullest stage, a table of all of them.
#pragma once

#include "document/document.h"
#include "insight/run_report.h"

namespace orrery {

AnswerDocument memory_document(const RunReport& r);

Section memory_section(const RunReport& r);  // the fullest stage as bars

}  // namespace orrery
