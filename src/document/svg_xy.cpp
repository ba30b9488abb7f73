// SPDX-License-Identifier: Apache-2.0
//
// Points and lines over two axes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "document/svg_marks.h"

namespace orrery::svg {
namespace {

constexpr double kLeft = 64;
constexpr double kAbove = 26;
constexpr double kBelow = 44;
constexpr double kRight = 20;
constexpr double kLetter = 7.2;  // px, of the page's 11 px type, on the wide side
constexpr double kLineHeight = 13;

struct Range {
  double low = 0;
  double high = 1;
  bool is_log = false;

  double share(double v) const {
    return is_log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
  }
};

// The range that the points cover, with a margin: a linear axis begins at 0 by default.
Range range_of(const XyPlot& plot, const PlotAxis& axis, double XyPoint::*member) {
  double least = HUGE_VAL;
  double most = 0;
  for (const XySeries& s : plot.series) {
    for (const XyPoint& p : s.points) {
      least = std::min(least, p.*member);
      most = std::max(most, p.*member);
    }
  }
  constexpr double kMargin = 1.15;
  Range r{0, most > 0 ? kMargin * most : 1, axis.is_log && most > 0};
  if (r.is_log) r.low = least / kMargin;
  r.low = axis.low.value_or(r.low);
  r.high = axis.high.value_or(r.high);
  return r;
}

struct Frame {
  Range x;
  Range y;
  double width = kWidth;
  double height = 0;

  double right() const { return width - kRight; }
  double bottom() const { return height - kBelow; }
  double at_x(double v) const { return kLeft + x.share(v) * (right() - kLeft); }
  double at_y(double v) const { return bottom() - y.share(v) * (bottom() - kAbove); }
};

std::string tick_text(double v) {
  char text[24];
  std::snprintf(text, sizeof text, v >= 1e5 || (v > 0 && v < 1e-3) ? "%.0e" : "%g", v);
  return text;
}

std::vector<double> log_ticks(const Range& r) {
  std::vector<double> ticks;
  const bool wide = r.high / r.low > 100;
  for (double ten = std::pow(10, std::floor(std::log10(r.low))); ten <= r.high; ten *= 10) {
    for (const double part : {1.0, 2.0, 5.0}) {
      const double v = ten * part;
      if (v >= r.low && v <= r.high && (part == 1 || !wide)) ticks.push_back(v);
    }
  }
  return ticks;
}

// 1, 2 or 5 times a power of ten apart, four of them or a few more.
std::vector<double> linear_ticks(const Range& r) {
  const double rough = (r.high - r.low) / 4;
  const double ten = std::pow(10.0, std::floor(std::log10(rough)));
  const double times = rough / ten;
  const double step = ten * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
  std::vector<double> ticks;
  for (double n = std::ceil(r.low / step); n * step <= r.high; ++n) ticks.push_back(n * step);
  return ticks;
}

std::vector<PlotTick> ticks_of(const PlotAxis& axis, const Range& r) {
  if (!axis.ticks.empty()) return axis.ticks;
  std::vector<PlotTick> ticks;
  for (const double v : r.is_log ? log_ticks(r) : linear_ticks(r)) {
    ticks.push_back({v, tick_text(v)});
  }
  return ticks;
}

std::string axes(const Frame& f, const XyPlot& p) {
  std::string out;
  for (const PlotTick& t : ticks_of(p.x, f.x)) {
    out += line(f.at_x(t.at), kAbove, f.at_x(t.at), f.bottom(), "grid") +
           text(f.at_x(t.at), f.bottom() + 15, t.text, "middle", "dim");
  }
  for (const PlotTick& t : ticks_of(p.y, f.y)) {
    out += line(kLeft, f.at_y(t.at), f.right(), f.at_y(t.at), "grid") +
           text(kLeft - 6, f.at_y(t.at) + 4, t.text, "end", "dim");
  }
  return out + line(kLeft, f.bottom(), f.right(), f.bottom(), "axis") +
         line(kLeft, kAbove, kLeft, f.bottom(), "axis") +
         text(f.right(), f.bottom() + 34, p.x.name, "end") + text(kLeft, 14, p.y.name);
}

std::string diagonal(const Frame& f, const XyPlot& p) {
  if (!p.has_diagonal) return "";
  const auto at = [&](double factor, const char* kind) {
    const double from = std::max(f.x.low, f.y.low / factor);
    const double to = std::min(f.x.high, f.y.high / factor);
    return line(f.at_x(from), f.at_y(factor * from), f.at_x(to), f.at_y(factor * to), kind);
  };
  if (p.band == 0) return at(1, "axis");
  return at(1, "axis") + at(1 - p.band, "axis dashed") + at(1 + p.band, "axis dashed");
}

bool is_line(Mark m) { return m == Mark::line || m == Mark::dashes; }

std::string dot(double x, double y, const XySeries& s, const std::string& hint) {
  const bool ring = s.mark == Mark::rings;
  return "<circle" + attribute("cx", px(x)) + attribute("cy", px(y)) +
         attribute("r", ring ? "5" : "3.6") +
         attribute("class", ring ? "ring " + stroke_class(s.colour) : fill(s.colour)) + ">" +
         title(hint) + "</circle>\n";
}

struct PlacedName {
  double left = 0;
  double right = 0;
  double y = 0;
};

// The nearest height at which a name runs over none of those placed before; it joins them.
double free_height(std::vector<PlacedName>& placed, PlacedName name, double lowest) {
  const double wanted = name.y;
  const auto covered = [&] {
    return std::any_of(placed.begin(), placed.end(), [&](const PlacedName& p) {
      return name.left < p.right && p.left < name.right && std::abs(name.y - p.y) < kLineHeight;
    });
  };
  for (int i = 1; covered() && i < 40; ++i) {
    const double away = kLineHeight * ((i + 1) / 2) * (i % 2 == 0 ? -1 : 1);
    if (wanted + away > kLineHeight && wanted + away < lowest) name.y = wanted + away;
  }
  placed.push_back(name);
  return name.y;
}

// Beside its point, where no other name stands.
std::string name_of(const Frame& f, const XyPoint& p, std::vector<PlacedName>& placed) {
  const bool at_right = f.at_x(p.x) > 0.7 * f.width;
  const double x = f.at_x(p.x) + (at_right ? -9 : 9);
  const double width = kLetter * static_cast<double>(width_of(p.name));
  const double y = free_height(
      placed, {at_right ? x - width : x, at_right ? x : x + width, f.at_y(p.y) + 4}, f.bottom());
  return text(x, y, p.name, at_right ? "end" : "start");
}

std::string marks(const Frame& f, const XySeries& s, std::vector<PlacedName>& placed) {
  std::string out;
  if (is_line(s.mark)) {
    std::string points;
    for (const XyPoint& p : s.points) points += px(f.at_x(p.x)) + "," + px(f.at_y(p.y)) + " ";
    return "<polyline" +
           attribute("class",
                     "curve " + stroke_class(s.colour) + (s.mark == Mark::line ? "" : " dashed")) +
           attribute("points", points) + "/>\n";
  }
  for (const XyPoint& p : s.points) {
    out += dot(f.at_x(p.x), f.at_y(p.y), s, p.title.empty() ? s.name : p.title);
    if (!p.name.empty()) out += name_of(f, p, placed);
  }
  return out;
}

std::string legend(const Frame& f, const XyPlot& p) {
  std::string out;
  double y = kAbove + 10;
  for (const XySeries& s : p.series) {
    if (s.name.empty()) continue;
    const std::string dashed = s.mark == Mark::dashes ? " dashed" : "";
    out += is_line(s.mark) ? line(f.width + 4, y - 4, f.width + 24, y - 4,
                                  "curve " + stroke_class(s.colour) + dashed)
                           : dot(f.width + 14, y - 4, s, s.name);
    out += text(f.width + 30, y, s.name);
    y += 18;
  }
  return out;
}

}  // namespace

Drawing drawing_of(const XyPlot& plot) {
  const auto named = static_cast<double>(std::count_if(
      plot.series.begin(), plot.series.end(), [](const auto& s) { return !s.name.empty(); }));
  Frame f{range_of(plot, plot.x, &XyPoint::x), range_of(plot, plot.y, &XyPoint::y)};
  f.height = named > 0 ? std::max(380.0, kAbove + 18 * named + 20) : 250;
  if (plot.has_diagonal) {
    f.x.low = f.y.low = std::min(f.x.low, f.y.low);
    f.x.high = f.y.high = std::max(f.x.high, f.y.high);
  }
  std::string out = axes(f, plot) + diagonal(f, plot);
  std::vector<PlacedName> placed;
  for (const XySeries& s : plot.series) out += marks(f, s, placed);
  return {f.width + (named > 0 ? kLegend : 0), f.height, out + legend(f, plot)};
}

}  // namespace orrery::svg
