// SPDX-License-Identifier: Apache-2.0
//
// The schedule as a terminal shows it: a line a stage, a column a slice of time, micro batches by
// their last digit (forward 0-9, backward a-j, weight gradients alone "w"), · for waiting, = for
// reductions and gathers. What is too long for the line shows its beginning and its end.
#pragma once

#include <string>

#include "document/document.h"
#include "insight/simulation_report.h"

namespace orrery {

// At most `width` columns wide, from 80.
Section timeline_picture(const SimulationReport& r, std::size_t width);

}  // namespace orrery
