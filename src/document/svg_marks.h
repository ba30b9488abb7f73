// SPDX-License-Identifier: Apache-2.0
//
// The marks of a chart: lines, bars, dots and text as SVG, in px of the figure's view box.
#pragma once

#include <algorithm>
#include <string>

#include "document/chart.h"
#include "document/escape.h"
#include "document/words.h"

namespace orrery::svg {

inline constexpr double kWidth = 620;
inline constexpr double kLegend = 200;  // beside a plot

inline std::string px(double x) { return fixed(x, 1); }

inline std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + html_escaped(value) + "\"";
}

inline std::string text(double x, double y, const std::string& words, const char* anchor = "start",
                        const char* kind = "") {
  return "<text" + attribute("x", px(x)) + attribute("y", px(y)) +
         attribute("text-anchor", anchor) + (*kind == '\0' ? "" : attribute("class", kind)) + ">" +
         html_escaped(words) + "</text>\n";
}

inline std::string title(const std::string& words) {
  return words.empty() ? "" : "<title>" + html_escaped(words) + "</title>";
}

inline std::string rect(double x, double y, double w, double h, const std::string& kind,
                        const std::string& hint = "") {
  return "<rect" + attribute("x", px(x)) + attribute("y", px(y)) +
         attribute("width", px(std::max(w, 0.5))) + attribute("height", px(h)) +
         attribute("class", kind) + ">" + title(hint) + "</rect>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, const std::string& kind) {
  return "<line" + attribute("x1", px(x1)) + attribute("y1", px(y1)) + attribute("x2", px(x2)) +
         attribute("y2", px(y2)) + attribute("class", kind) + "/>\n";
}

inline std::string fill(std::size_t colour) { return "fill" + std::to_string(colour % 10); }
inline std::string stroke_class(std::size_t colour) { return "ink" + std::to_string(colour % 10); }

// A drawing of this size.
struct Drawing {
  double width = kWidth;
  double height = 0;
  std::string marks;
};

Drawing drawing_of(const XyPlot& plot);
Drawing drawing_of(const BarPlot& plot);
Drawing drawing_of(const SwingPlot& plot);
Drawing drawing_of(const HeatMap& map);

}  // namespace orrery::svg
