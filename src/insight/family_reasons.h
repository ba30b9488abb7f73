// SPDX-License-Identifier: Apache-2.0
//
// Why a search did not take the others: of every value of an axis the best strategy, and in words
// what it lost to the winner, that it does not fit, or which rule or constraint refuses it.
//
// Axes of which one value was tried, and those that follow from others, say nothing. Differences
// below half a percent of the winner's step are not worth a word. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "insight/search_report.h"

namespace orrery {

// The two terms in which `a` is worst beside `winner`, and the one in which it gains most.
std::string difference_in_words(const Answer& a, const Answer& winner);

// The reasons for a report with its best strategies.
std::vector<FamilyReport> family_reports(const SearchReport& report);

}  // namespace orrery
