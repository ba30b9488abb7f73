// SPDX-License-Identifier: Apache-2.0
//
// Memory for a person: bars of the fullest stage, a table of all of them.
#pragma once

#include <string>

#include "document/words.h"
#include "insight/run_report.h"

namespace orrery {

std::string memory_bars(const RunReport& r, const Style& style);

// One row a stage; neighbours that are alike share one.
std::string memory_table(const RunReport& r, const Style& style);

// Header and one row a stage.
std::string memory_csv(const RunReport& r);

}  // namespace orrery
