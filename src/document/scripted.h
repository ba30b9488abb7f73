// SPDX-License-Identifier: Apache-2.0
//
// Charts that a script of the page draws: a frame, and its data with the script (lanes.js,
// points.js). A page holds one of each kind.
#pragma once

#include <string>

#include "document/chart.h"

namespace orrery {

std::string frame_of(const LanePlot& plot);  // legend and canvas
std::string script_of(const LanePlot& plot);
std::string frame_of(const PointsPlot& plot);  // legend, drawings and table
std::string script_of(const PointsPlot& plot);

template <class C>
concept Scripted = requires(const C& chart) {
  script_of(chart);
};

}  // namespace orrery
