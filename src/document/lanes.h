// SPDX-License-Identifier: Apache-2.0
//
// Lanes over time on a page: a frame, and the script that draws, zooms and moves (lanes.js).
#pragma once

#include <string>

#include "document/chart.h"

namespace orrery {

std::string lanes_frame(const LanePlot& plot);   // legend and canvas
std::string lanes_script(const LanePlot& plot);  // data and script

}  // namespace orrery
