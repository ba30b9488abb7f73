// SPDX-License-Identifier: Apache-2.0
//
// What charts are drawn with: a figure of fixed width, lines, bars, text, as SVG.
//
// Units: px of the figure's view box. Text is escaped here. Errors: none.
#pragma once

#include <algorithm>
#include <string>

#include "document/words.h"
#include "report/charts.h"

namespace orrery::chart {

inline constexpr double kWidth = 620;
inline constexpr const char* kPlain = "#7d9cc0";
inline constexpr const char* kChosen = "#2b5c93";

inline std::string num(double x) { return fixed(x, 1); }

inline std::string open_svg(const std::string& title, double height) {
  return "<figure><figcaption>" + html_escaped(title) + "</figcaption><svg viewBox=\"0 0 " +
         num(kWidth) + " " + num(height) + "\" role=\"img\" aria-label=\"" + html_escaped(title) +
         "\">";
}

inline std::string close_svg() { return "</svg></figure>\n"; }

inline std::string text_at(double x, double y, const std::string& text,
                           const char* anchor = "start", const char* kind = "") {
  return "<text x=\"" + num(x) + "\" y=\"" + num(y) + "\" text-anchor=\"" + anchor + "\" class=\"" +
         kind + "\">" + html_escaped(text) + "</text>";
}

inline std::string rect(double x, double y, double w, double h, const std::string& fill) {
  return "<rect x=\"" + num(x) + "\" y=\"" + num(y) + "\" width=\"" + num(std::max(w, 0.5)) +
         "\" height=\"" + num(h) + "\" fill=\"" + fill + "\"/>";
}

inline std::string stroke(double x1, double y1, double x2, double y2, const std::string& colour,
                          const char* extra = "") {
  return "<line x1=\"" + num(x1) + "\" y1=\"" + num(y1) + "\" x2=\"" + num(x2) + "\" y2=\"" +
         num(y2) + "\" stroke=\"" + colour + "\" " + extra + "/>";
}

}  // namespace orrery::chart
