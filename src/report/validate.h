// SPDX-License-Identifier: Apache-2.0
//
// The answer to `validate`: predicted beside measured, row by row and in summaries.
//
// A line of CSV is a row of the file. Charts and tables hold what is judged by time and counts.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"
#include "validate/report.h"

namespace orrery {

AnswerDocument validation_document(const ValidationReport& report);
Json validation_json(const ValidationReport& report);

}  // namespace orrery
