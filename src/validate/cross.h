// SPDX-License-Identifier: Apache-2.0
//
// Judged on what was not fitted on: one source is left out at a time, the constants are fitted on
// the others from their priors, and only the rows left out are predicted.
//
// Sources that are never fitted on are predicted by a fit on all the others. Rows that are judged
// but have no time keep their estimate with the shipped constants. What the priors themselves have
// seen (constants of configs/ that are marked as fitted and that no parameter names) is not undone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/fit_constants.h"
#include "validate/report.h"

namespace orrery {

// The judged rows as predicted without their source.
std::vector<JudgedRow> left_out_rows(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                                     const FitSelection& selection, int looks);

// What removing a constant (leaving it at its prior) costs on sources left out.
struct Ablation {
  std::size_t parameter = 0;
  double error = 0;  // mean over sources of the mean |ln(predicted/measured)|, without it
};

struct AblationReport {
  double error = 0;  // with all
  std::vector<Ablation> without;
};

AblationReport ablate(const FitRuns& runs);

}  // namespace orrery
