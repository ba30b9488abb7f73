// SPDX-License-Identifier: Apache-2.0
//
// A simulated step over time: as an HTML page that needs nothing else (timeline to zoom and drag,
// memory of a stage, the tables of the text answer), and as a terminal shows it: a line a stage, a
// column a slice of time, micro batches by their last digit (forward 0-9, backward a-j, weight
// gradients alone "w"), · for waiting, < for gathers and > for reductions. A step too long for the
// line shows its beginning and its end. Errors: InputError for more passes than a page can hold
// (kMostDrawnPasses).
#pragma once

#include <cstdint>
#include <string>

#include "document/document.h"
#include "insight/simulation_report.h"

namespace orrery {

inline constexpr std::int64_t kMostDrawnPasses = 400'000;

std::string timeline_html(const SimulationReport& r);

// At most `width` columns wide, from 80.
Section timeline_picture(const SimulationReport& r, std::size_t width);

}  // namespace orrery
