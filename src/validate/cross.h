// SPDX-License-Identifier: Apache-2.0
//
// Cross-validation: one source is left out at a time, the constants are fitted on the others from
// their priors, and only the rows left out are predicted.
//
// Sources that are never fitted are predicted by a fit on all the others. Rows that are judged but
// have no time keep their estimate with the shipped constants. Constants of configs/ that are
// marked as fitted and that no parameter names stay as they are, although they have seen some
// sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/accuracy_table.h"
#include "validate/fit_constants.h"
#include "validate/report.h"

namespace orrery {

// Residuals of the rows left out, for the table of accuracy: each by a fit without its source.
std::vector<Residual> left_out_residuals(const std::vector<JudgedRow>& left_out);

inline constexpr const char* kThreeObservedScope = "three rows of the source observed, tier A";

// The error of a source's other tier A rows after three of its steps have set the level of its
// stack: every third row of ten different starts.
Summary three_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table);

// The judged rows as predicted without their source. Their intervals are nested: from residuals of
// the other sources, each predicted without its own and without this one.
std::vector<JudgedRow> left_out_rows(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                                     const FitSelection& selection, int looks);

// Mean over sources of the mean |ln(predicted/measured)| of rows that the fit has not seen: all of
// a source, as everything else here is judged, or every fifth row of each. The second is the only
// one that can tell what a constant is worth that one source alone shows.
struct LeftOutError {
  double sources = 0;
  double rows = 0;
};

// The cost of removing a constant, that is of leaving it at its prior.
struct Ablation {
  std::size_t parameter = 0;
  LeftOutError error;  // without it
};

struct AblationReport {
  LeftOutError error;  // with all
  std::vector<Ablation> without;
};

AblationReport ablate(const FitRuns& runs);

}  // namespace orrery
