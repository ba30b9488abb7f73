// SPDX-License-Identifier: Apache-2.0
//
// The published runs as input of a fit, and the fits themselves.
//
// A case is a row with a time: its run without earlier fits, the constants that affect it, ln of
// the measured time. Sources that are never fitted and rows with an assumed batch are judged, not
// fitted. Each source and framework has a level of its own, so that a site does not move a device's
// constants; a source left out has level 1, which makes its error blind. Leaves out memory: nothing
// there is fitted by this.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/least_squares.h"
#include "estimate/estimate.h"
#include "validate/parameters.h"

namespace orrery {

struct JudgedRow;

struct FitCase {
  std::size_t row = 0;    // of the judged rows
  std::size_t group = 0;  // of FitRuns::groups
  std::size_t team = 0;   // of FitRuns::teams
  bool fitted = true;     // takes part in fits
};

struct FitRuns {
  FitParameters parameters;
  std::vector<Run> runs;  // by case, of the prior
  std::vector<FitCase> cases;
  std::vector<std::string> groups;  // of sources, sorted
  std::vector<std::string> teams;   // sorted
  std::vector<std::string> levels;  // "source, framework"
  FitProblem problem;               // a datum a case
  FitSlopes prior;                  // at the prior
  FitProblem linear;                // the same by those slopes alone: fast, for many fits
};

// Errors: InputError where there are fewer rows than constants. The rows must outlive the result.
std::unique_ptr<FitRuns> fit_runs(const std::vector<JudgedRow>& rows, FitParameters parameters);

// By case: all that is fitted on.
FitSelection everything(const FitRuns& runs);

// The run of case i with the constants at x.
Run run_at(const FitRuns& runs, std::size_t i, const std::vector<double>& x);

// The same of any run with the constants of configs/.
void set_constants(const FitParameters& parameters, const std::vector<double>& x, Run& run);

}  // namespace orrery
