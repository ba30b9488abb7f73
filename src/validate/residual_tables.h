// SPDX-License-Identifier: Apache-2.0
//
// Where the error sits: the same rows taken apart by source, by part of the step, by what their
// source itself scatters by, and by whose fault large errors are believed to be.
//
// All of rows that count and are judged by time, or by memory. An error is |predicted/measured −
// 1|; the level of a source is its median predicted/measured, and form what is left without it.
// Units: fractions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "validate/columns.h"
#include "validate/report.h"

namespace orrery {

// Each source's level and form, and the p90 of the tier without it.
std::vector<Cells> source_table(const ValidationReport& report, RowTier tier);

// How much of the mean square of ln(predicted/measured) is the level of sources.
std::string level_sentence(const ValidationReport& report, RowTier tier);

// Rows in which a part of the step takes a tenth or more: what is left of their error inside their
// sources.
std::vector<Cells> part_table(const ValidationReport& report, RowTier tier);

// Runs that are the same to the letter, measured more than once.
std::vector<Cells> repeat_table(const ValidationReport& report);

// Errors above `beyond` by source, and whose they are believed to be.
std::vector<Cells> blame_table(const ValidationReport& report, RowTier tier, double beyond);

// Runs that ran and are predicted not to fit, or were out of memory and are predicted to.
std::vector<Cells> misjudged_table(const ValidationReport& report);

// Memory by source, and the p90 of all of it without the source.
std::vector<Cells> memory_source_table(const ValidationReport& report);

}  // namespace orrery
