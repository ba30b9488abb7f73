// SPDX-License-Identifier: Apache-2.0
//
// Summary of the errors of many rows.
//
// Rows are taken together by scope: all, by tier, by whether the source says everything, by source,
// node and framework (tiers apart), and memory by kind. Rows whose global batch is assumed stand in
// scope "assumed" and in no other.
//
// Two yardsticks stand beside every scope of times. "One factor": the same errors after one factor
// a source and tier (the median of predicted/measured) is divided out, which leaves the error of
// form. "One constant": what a user gets from FLOPs/(peak·e), the FLOPs executed over the dense
// peak and one efficiency a source and tier, fitted on the very rows it is judged on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/error_summary.h"

namespace orrery {

struct JudgedRow;

enum class Judged : std::uint8_t { time, memory };

struct Summary {
  std::string scope;
  Judged quantity = Judged::time;
  std::int64_t rows = 0;
  std::int64_t refused = 0;
  ErrorSummary error;

  // Only of time.
  ErrorSummary one_factor;
  ErrorSummary one_constant;
  double in_interval = 0;  // share of rows measured within the 80 % interval
};

// How often a prediction says beforehand whether a run fits.
struct FitSummary {
  std::string scope;                    // the protocol; "": the shipped documents
  std::int64_t ran = 0;                 // published as having run
  std::int64_t ran_but_refused = 0;     // of these, predicted not to fit
  std::int64_t out_of_memory = 0;       // published as out of memory
  std::int64_t out_of_memory_seen = 0;  // of these, predicted not to fit
};

std::vector<Summary> summaries_of(const std::vector<JudgedRow>& rows);

FitSummary fit_summary_of(const std::vector<JudgedRow>& rows);

}  // namespace orrery
