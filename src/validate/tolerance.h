// SPDX-License-Identifier: Apache-2.0
//
// Bounds that a validation must keep: a JSON object, or an array of objects, each with at least one
// of "median", "p90", "mean", "bias" (its size; upper bounds) and "within_10" (lower bound),
// fractions, and "refused" (rows, upper bound). "scope" names the line of the summary: "tier A",
// "source korthikanti, tier A", "memory device"; default: "all". Errors: InputError, also if the
// rows have no such scope.
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
