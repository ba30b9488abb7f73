// SPDX-License-Identifier: Apache-2.0
//
// Bounds a validation must keep: a JSON object, or an array of objects, each with at least one of
// "median", "p90", "mean", "bias" (at most, of its size) and "within_10" (at least), fractions, and
// "refused" (rows, at most). "scope" names the line of the summary they hold for: "tier A",
// "source korthikanti, tier A", "memory device"; absent: "all".
// Errors: InputError, also where the rows have no such scope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validate/report.h"

namespace orrery {

// One line for every bound that is broken: "tier A: median 14.2 %, at most 10.0 %".
std::vector<std::string> broken_tolerances(std::string_view tolerances, const std::string& file,
                                           const ValidationReport& report);

}  // namespace orrery
