// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "document/words.h"
#include "report/charts.h"

namespace orrery {
namespace {

constexpr double kWide = 560;
constexpr double kHigh = 380;
constexpr double kLeft = 70;
constexpr double kBelow = 50;
constexpr double kAbove = 30;
constexpr double kLegend = 220;

std::string at(double x) { return fixed(x, 1); }

struct Axis {
  double low = 1;
  double high = 10;
  bool log = true;

  double share(double v) const {
    if (!log) return (v - low) / (high - low);
    return std::log(v / low) / std::log(high / low);
  }
};

Axis axis_of(const Plot& p, bool is_y, bool log) {
  double least = HUGE_VAL;
  double most = 0;
  for (const PlotSeries& s : p.series) {
    for (const auto& [x, y] : s.points) {
      const double v = is_y ? y : x;
      least = std::min(least, v);
      most = std::max(most, v);
    }
  }
  if (!(most > 0)) return {};
  if (!log) return {0, most * 1.1, false};
  constexpr double kRoom = 1.15;
  return {least / kRoom, most * kRoom, true};
}

struct Frame {
  Axis x;
  Axis y;

  double left(double v) const { return kLeft + x.share(v) * (kWide - kLeft); }
  double top(double v) const { return kHigh - kBelow - y.share(v) * (kHigh - kBelow - kAbove); }
};

std::string plot_text(double x, double y, const std::string& text, const char* anchor) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" +
         html_escaped(text) + "</text>\n";
}

std::string segment(double x1, double y1, double x2, double y2, const char* style) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) +
         "\" " + style + "/>\n";
}

std::string tick_text(double v) {
  char text[24];
  std::snprintf(text, sizeof text, v >= 1e5 || (v > 0 && v < 1e-3) ? "%.0e" : "%g", v);
  return text;
}

std::vector<double> ticks(const Axis& a) {
  std::vector<double> out;
  if (a.log) {
    const bool wide = a.high / a.low > 100;
    for (double ten = std::pow(10, std::floor(std::log10(a.low))); ten <= a.high; ten *= 10) {
      for (const double part : {1.0, 2.0, 5.0}) {
        const double v = ten * part;
        if (v >= a.low && v <= a.high && (part == 1 || !wide)) out.push_back(v);
      }
    }
    return out;
  }
  const double step = std::pow(10, std::floor(std::log10(a.high)));
  for (double v = 0; v <= a.high; v += a.high / step < 3 ? step / 4 : step) out.push_back(v);
  return out;
}

std::string grid(const Frame& f, const Plot& p) {
  constexpr const char* kPale = "stroke=\"#ddd\"";
  std::string out;
  for (const double v : ticks(f.x)) {
    out += segment(f.left(v), kAbove, f.left(v), kHigh - kBelow, kPale) +
           plot_text(f.left(v), kHigh - kBelow + 16, tick_text(v), "middle");
  }
  for (const double v : ticks(f.y)) {
    out += segment(kLeft, f.top(v), kWide, f.top(v), kPale) +
           plot_text(kLeft - 6, f.top(v) + 4, tick_text(v), "end");
  }
  out += segment(kLeft, kHigh - kBelow, kWide, kHigh - kBelow, "stroke=\"#888\"") +
         segment(kLeft, kAbove, kLeft, kHigh - kBelow, "stroke=\"#888\"");
  return out + plot_text(0.5 * (kLeft + kWide), kHigh - 12, p.x_label, "middle") +
         plot_text(kLeft, 18, p.y_label, "start");
}

std::string mark(MarkKind kind, double x, double y, const std::string& colour,
                 const std::string& title) {
  const bool hollow = kind == MarkKind::circles;
  return "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + (hollow ? "5" : "3.2") +
         "\" fill=\"" + (hollow ? std::string("none") : colour) + "\" stroke=\"" + colour +
         "\"><title>" + html_escaped(title) + "</title></circle>\n";
}

std::string polyline(const Frame& f, const PlotSeries& s) {
  std::string out = "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" + s.colour + "\"" +
                    (s.kind == MarkKind::dashes ? " stroke-dasharray=\"5 4\"" : "") + " points=\"";
  for (const auto& [x, y] : s.points) out += at(f.left(x)) + "," + at(f.top(y)) + " ";
  return out + "\"/>\n";
}

std::string drawn(const Frame& f, const PlotSeries& s) {
  if (s.kind == MarkKind::line || s.kind == MarkKind::dashes) return polyline(f, s);
  std::string out;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    out += mark(s.kind, f.left(s.points[i].first), f.top(s.points[i].second), s.colour,
                i < s.titles.size() ? s.titles[i] : s.name);
  }
  return out;
}

std::string legend(const Plot& p) {
  std::string out;
  double y = kAbove + 10;
  for (const PlotSeries& s : p.series) {
    if (s.name.empty()) continue;
    const bool is_line = s.kind == MarkKind::line || s.kind == MarkKind::dashes;
    out += is_line ? "<line x1=\"" + at(kWide + 12) + "\" y1=\"" + at(y - 4) + "\" x2=\"" +
                         at(kWide + 32) + "\" y2=\"" + at(y - 4) +
                         "\" stroke-width=\"1.6\" stroke=\"" + s.colour + "\"" +
                         (s.kind == MarkKind::dashes ? " stroke-dasharray=\"5 4\"" : "") + "/>\n"
                   : mark(s.kind, kWide + 22, y - 4, s.colour, s.name);
    out += plot_text(kWide + 38, y, s.name, "start");
    y += 18;
  }
  return out;
}

}  // namespace

std::string plot_svg(const Plot& p) {
  Frame f{axis_of(p, false, true), axis_of(p, true, p.log_y)};
  if (p.diagonal) {
    f.x.low = f.y.low = std::min(f.x.low, f.y.low);
    f.x.high = f.y.high = std::max(f.x.high, f.y.high);
  }
  std::string out = "<h2>" + html_escaped(p.title) + "</h2>\n<svg viewBox=\"0 0 " +
                    at(kWide + kLegend) + " " + at(kHigh) + "\" width=\"" + at(kWide + kLegend) +
                    "\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n" + grid(f, p);
  if (p.diagonal) {
    out += segment(f.left(f.x.low), f.top(f.x.low), f.left(f.x.high), f.top(f.x.high),
                   "stroke=\"#888\"");
  }
  for (const PlotSeries& s : p.series) out += drawn(f, s);
  return out + legend(p) + "</svg>\n";
}

}  // namespace orrery
