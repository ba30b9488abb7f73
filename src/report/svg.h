// SPDX-License-Identifier: Apache-2.0
//
// Plots of points and lines over logarithmic axes, as SVG for a self-contained page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace orrery {

enum class MarkKind { dots, circles, line, dashes };

struct PlotSeries {
  std::string name;    // in the legend; "" has no entry
  std::string colour;  // "#1b6ca8"
  MarkKind kind = MarkKind::dots;
  std::vector<std::pair<double, double>> points;  // above 0
  std::vector<std::string> titles;                // of the points, where given
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_y = true;      // else from 0
  bool diagonal = false;  // y = x, both axes alike
  std::vector<PlotSeries> series;
};

std::string plot_svg(const Plot& plot);

}  // namespace orrery
