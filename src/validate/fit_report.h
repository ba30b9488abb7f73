// SPDX-License-Identifier: Apache-2.0
//
// A fit and an ablation, as text and as JSON.
#pragma once

#include <string>

#include "validate/columns.h"
#include "validate/config_changes.h"
#include "validate/cross.h"

namespace orrery {

std::string fit_text(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes);
Json fit_json(const FitRuns& runs, const ConstantsFit& fit, const ConfigChanges& changes);

std::string ablation_text(const FitRuns& runs, const AblationReport& report);
Json ablation_json(const FitRuns& runs, const AblationReport& report);

// Constants fitted, how far, and what each is worth on sources left out.
std::vector<Cells> constant_table(const FitRuns& runs, const ConstantsFit& fit,
                                  const AblationReport& ablation);

// Constants fitted, by the device or framework they are of.
std::vector<Cells> count_table(const FitRuns& runs, const ConstantsFit& fit);

}  // namespace orrery
