// SPDX-License-Identifier: Apache-2.0
//
// Charts that a script of the page draws: a frame, and its data with the script (lanes.js,
// points.js). A page holds one of each kind; another page may draw the same data by its own copy of
// the script.
#pragma once

#include <string>

#include "document/chart.h"

namespace orrery {

// The script elements of a chart: its data, JSON in an element NAME-data that no browser runs, and
// the page file NAME.js, whose function draws the data.
std::string drawing_script(const std::string& name, const std::string& function,
                           const std::string& data);

std::string frame_of(const LanePlot& plot);  // legend and canvas
std::string script_of(const LanePlot& plot);
std::string frame_of(const PointsPlot& plot);  // legend, drawings and table
std::string script_of(const PointsPlot& plot);

template <class C>
concept Scripted = requires(const C& chart) {
  script_of(chart);
};

}  // namespace orrery
