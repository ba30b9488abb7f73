// SPDX-License-Identifier: Apache-2.0
//
// The tables of a validation report, as cells: what text and Markdown share.
#pragma once

#include "validate/columns.h"
#include "validate/report.h"

namespace orrery {

std::vector<Cells> row_table(const ValidationReport& report);
std::vector<Cells> refusal_table(const ValidationReport& report);  // the heading alone: none
std::vector<Cells> time_table(const ValidationReport& report);
std::vector<Cells> memory_table(const ValidationReport& report);
std::vector<Cells> sweep_table(const ValidationReport& report);
std::string fit_sentence(const ValidationReport& report);

}  // namespace orrery
