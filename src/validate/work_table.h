// SPDX-License-Identifier: Apache-2.0
//
// Where the error sits, by what the step is spent on: matrix products, attention, memory-bound
// kernels, links, latencies, launches.
//
// A row's share of each is the elasticity of its step (explore/sensitivity.h), so that bubbles and
// what is hidden are in it. One least-squares fit (calibrate/least_squares.h) over all rows asks by
// what factor each kind of work would have to be priced differently, everywhere alike, with one
// level a source free and a weak prior on each factor: what is near 1 is priced right against the
// rest, and the error that then is left is none of a kind of work's. Nothing is changed by it.
// Leaves out that a share moves where a factor is far from 1. Rows that count and are judged by
// time. Units: fractions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "validate/columns.h"
#include "validate/report.h"

namespace orrery {

struct WorkTable {
  std::vector<Cells> table;  // the first row is the heading
  std::string sentence;      // what the error would be with all factors
};

WorkTable work_table(const ValidationReport& report, RowTier tier);

}  // namespace orrery
