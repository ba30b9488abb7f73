// SPDX-License-Identifier: Apache-2.0
//
// The constants that a fit may move: validation/parameters.json.
//
// A JSON object: "parameters", an array of {"name", "of", "in", "paths", "change", "spread",
// "bounds", "fitted", "source"}, and "never_fit", the sources ("group", or "group, framework") that
// are only judged. `of` is "device", "framework" or "node", `in` the documents with the constant:
// one change moves them all, so that a board of the same chip is not fitted by itself. `spread` is
// one standard deviation of the prior, in the change's own measure, depending on the quality of the
// source; `bounds` are the least and the greatest change. `fitted` is the change that configs/
// already contain; the prior is their value without it, so that a later fit, or one without a
// source, starts from the same prior. Besides: "noise" by tier, the scatter inside a source that no
// row explains; "level_spread", the prior of a source's own factor (site, version, tuning), as a
// share; "rows_per_source", the most rows a source's weight counts for; "identified_below", the
// share of its prior's spread that a constant must come below to be pinned by the data. Errors:
// InputError with file and path.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "validate/fields.h"

namespace orrery {

struct FitParameter {
  std::string name;
  FitDocument document = FitDocument::device;
  std::vector<std::string> in;
  std::vector<const FitField*> fields;
  ChangeKind kind = ChangeKind::scale;
  double spread = 0;
  double lowest = 0;
  double highest = 0;
  double fitted = 0;
};

struct FitParameters {
  std::string file;
  Json document;  // as read
  std::vector<FitParameter> parameters;
  std::vector<std::string> never_fit;
  std::array<double, 2> noise{};  // by RowTier
  double level_spread = 0;
  double rows_per_source = 0;
  double identified_below = 0;  // of a prior's standard deviation
};

FitParameters read_parameters(std::string_view text, const std::string& file);

bool concerns(const FitParameter& p, const Run& run);

// By `change`, from what the run holds.
void apply(const FitParameter& p, double change, Run& run);

}  // namespace orrery
