// SPDX-License-Identifier: Apache-2.0
//
// The page docs/accuracy.md: every bar beside what is reached of it and the command that prints it,
// what is left of the error of each that is missed, and tables of where the error sits.
//
// Numbers come from the reports; prose about a missed bar from validation/bars.json, by hand.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "validate/bars.h"

namespace orrery {

std::string accuracy_page(const std::vector<Bar>& bars, const BarReports& reports);

}  // namespace orrery
