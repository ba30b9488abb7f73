// SPDX-License-Identifier: Apache-2.0
//
// A simulated step as one HTML page that needs nothing else: the pipeline's timeline to zoom and
// drag, memory of a stage over the step, and the tables of the text answer. The same run gives the
// same bytes. Errors: InputError for more passes than a page can hold (kMostDrawnPasses).
#pragma once

#include <cstdint>
#include <string>

#include "insight/simulation_report.h"

namespace orrery {

inline constexpr std::int64_t kMostDrawnPasses = 400'000;

std::string timeline_html(const SimulationReport& r);

}  // namespace orrery
