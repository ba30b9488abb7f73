// SPDX-License-Identifier: Apache-2.0
//
// Predicting what a team measured as if nobody had seen it, by two protocols.
//
// All sources of a team are left out together: its hand, its tuning and its clusters are in each.
// Known stack, new team: other teams run the same framework, so that its profile is in force.
// Unknown stack: the profile of the framework's class is (configs/frameworks, `class`), with none
// of its options; what the user says of his strategy stays. By both, constants of the table of
// parameters are fitted on the other teams alone (where they do not pin one, it is at its prior),
// and constants of configs/ that this team alone was fitted on fall back to what the profile
// inherits (validate/left_out_configs.h). Rows without a time are predicted the same way, so that
// memory and what runs out of it are left out too. Constants that several teams were fitted on
// and that no parameter names stay as they are. Leaves out: choices of form made with rows in view.
#pragma once

#include <string>
#include <vector>

#include "validate/accuracy_table.h"
#include "validate/fit_constants.h"
#include "validate/report.h"
#include "validate/site_fit.h"

namespace orrery {

struct LeftOut {
  std::vector<JudgedRow> known;    // rows whose framework another team has
  std::vector<JudgedRow> unknown;  // all rows
};

// Every row predicted without its team. Intervals rest on residuals of the other teams, each
// predicted without its own rows.
LeftOut left_out_rows(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                      const ConfigLookup& lookup);

// The rows of one team, with the intervals of the shipped documents.
LeftOut left_out_team(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                      const ConfigLookup& lookup, const std::string& team);

// For the table of accuracy, without the rows of one team; "": of all.
Residuals residuals_of(const LeftOut& rows, const std::string& without = "");

inline constexpr const char* kThreeObservedScope = "three rows of the source observed, tier A";
inline constexpr const char* kOneObservedScope = "one row of the source observed, tier A";

// The error of a source's other tier A rows of one model, node and precision after three of their
// steps, or one, have set the level: every third row of ten different starts. Series of fewer than
// six rows are left out.
Summary three_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table);
Summary one_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table);

// Mean over teams of the mean |ln(predicted/measured)| of rows that the fit has not seen: all of a
// team, as everything else here is judged, or every fifth row of each. Only the second can tell the
// worth of a constant that a single team shows.
struct LeftOutError {
  double teams = 0;
  double rows = 0;
};

inline constexpr const char* kOtherModelsScope = "three steps of other models of the site";

// The errors of a site's rows (source, node and framework) before and after the levels of three of
// its steps, each of another model than the row's; nothing of sites with fewer than three models.
// `in_interval` of `after` is by the interval of the levels, each site counting once.
struct OtherModels {
  Summary before;
  Summary after;
  Summary left;     // the median of `after` over that of `before`
  Summary by_site;  // the same of each site, the worst as p90
};

OtherModels three_of_other_models(const std::vector<JudgedRow>& left_out, const SitePrior& prior);

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
