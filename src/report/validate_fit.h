// SPDX-License-Identifier: Apache-2.0
//
// The answers to `validate --fit`, `--ablate` and `--check`.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"
#include "validate/config_changes.h"
#include "validate/consistency.h"
#include "validate/cross.h"

namespace orrery {

AnswerDocument fit_document(const FitRuns& runs, const ConstantsFit& fit,
                            const ConfigChanges& changes);
Json fit_json(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes);

AnswerDocument ablation_document(const FitRuns& runs, const AblationReport& report);
Json ablation_json(const FitRuns& runs, const AblationReport& report);

AnswerDocument consistency_document(const ConsistencyReport& report);
Json consistency_json(const ConsistencyReport& report);

}  // namespace orrery
