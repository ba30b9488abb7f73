// SPDX-License-Identifier: Apache-2.0
//
// The answers to `validate`: predicted beside measured, row by row and in summaries; fits of its
// constants, ablations, checks of consistency.
//
// A line of CSV is a row of the file. Charts and tables hold what is judged by time and counts.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"
#include "validate/config_changes.h"
#include "validate/consistency.h"
#include "validate/cross.h"
#include "validate/report.h"

namespace orrery {

AnswerDocument validation_document(const ValidationReport& report);
Json validation_json(const ValidationReport& report);

AnswerDocument fit_document(const FitRuns& runs, const ConstantsFit& fit,
                            const ConfigChanges& changes);
Json fit_json(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes);

AnswerDocument ablation_document(const FitRuns& runs, const AblationReport& report);
Json ablation_json(const FitRuns& runs, const AblationReport& report);

AnswerDocument consistency_document(const ConsistencyReport& report);
Json consistency_json(const ConsistencyReport& report);

}  // namespace orrery
