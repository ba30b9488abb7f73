// SPDX-License-Identifier: Apache-2.0
#include "report/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "report/words.h"

namespace orrery {
namespace {

constexpr double kWidth = 620;
constexpr double kNames = 190;    // left of the bars
constexpr double kNumbers = 150;  // right of them
constexpr double kRow = 26;
constexpr double kBarHeight = 15;
constexpr double kTop = 8;
constexpr const char* kPlain = "#7d9cc0";
constexpr const char* kChosen = "#2b5c93";
constexpr const char* kLimit = "#b3402e";
constexpr std::array<const char*, 8> kParts = {"#2b5c93", "#c07a2c", "#7d4b8f", "#b3402e",
                                               "#3f8f5b", "#c9a227", "#8a8f98", "#5aa6a6"};

std::string num(double x) { return fixed(x, 1); }

std::string open_svg(const std::string& title, double height) {
  return "<figure><figcaption>" + html_escaped(title) + "</figcaption><svg viewBox=\"0 0 " +
         num(kWidth) + " " + num(height) + "\" role=\"img\" aria-label=\"" + html_escaped(title) +
         "\">";
}

std::string close_svg() { return "</svg></figure>\n"; }

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start",
                    const char* kind = "") {
  return "<text x=\"" + num(x) + "\" y=\"" + num(y) + "\" text-anchor=\"" + anchor + "\" class=\"" +
         kind + "\">" + html_escaped(text) + "</text>";
}

std::string rect(double x, double y, double w, double h, const std::string& fill) {
  return "<rect x=\"" + num(x) + "\" y=\"" + num(y) + "\" width=\"" + num(std::max(w, 0.5)) +
         "\" height=\"" + num(h) + "\" fill=\"" + fill + "\"/>";
}

std::string stroke(double x1, double y1, double x2, double y2, const std::string& colour,
                   const char* extra = "") {
  return "<line x1=\"" + num(x1) + "\" y1=\"" + num(y1) + "\" x2=\"" + num(x2) + "\" y2=\"" +
         num(y2) + "\" stroke=\"" + colour + "\" " + extra + "/>";
}

// A scale from 0 to `most` over the width between names and numbers.
struct RowScale {
  double most = 1;
  double operator()(double v) const {
    return kNames + (kWidth - kNames - kNumbers) * std::clamp(v / most, 0.0, 1.0);
  }
};

double row_y(std::size_t i) { return kTop + kRow * static_cast<double>(i); }

std::string name_at(std::size_t i, const std::string& name) {
  return text_at(kNames - 8, row_y(i) + kBarHeight - 3, shortened(name, 28), "end");
}

std::string whisker(const ChartBar& b, const RowScale& x, double y) {
  if (b.low >= b.high) return "";
  const double middle = y + kBarHeight / 2;
  return stroke(x(b.low), middle, x(b.high), middle, "#1d2733") +
         stroke(x(b.low), middle - 4, x(b.low), middle + 4, "#1d2733") +
         stroke(x(b.high), middle - 4, x(b.high), middle + 4, "#1d2733");
}

std::string limit_line(const BarChart& c, const RowScale& x) {
  if (!c.limit) return "";
  const double bottom = row_y(c.bars.size());
  return stroke(x(*c.limit), kTop - 4, x(*c.limit), bottom, kLimit, "stroke-dasharray=\"4 3\"") +
         text_at(x(*c.limit), bottom + 12, c.limit_text, "middle", "limit");
}

std::string legend(const std::vector<std::string>& parts, double y) {
  std::string text;
  double x = 4;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += rect(x, y - 9, 10, 10, kParts[i % kParts.size()]) + text_at(x + 14, y, parts[i]);
    x += 26 + 6.6 * static_cast<double>(width_of(parts[i]));
  }
  return text;
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bar_chart(const BarChart& c) {
  RowScale x;
  x.most = c.limit.value_or(0);
  for (const ChartBar& b : c.bars) x.most = std::max({x.most, b.value, b.high});
  x.most = x.most > 0 ? 1.04 * x.most : 1;
  std::string svg = open_svg(c.title, row_y(c.bars.size()) + (c.limit ? 18 : 4));
  for (std::size_t i = 0; i < c.bars.size(); ++i) {
    const ChartBar& b = c.bars[i];
    svg += name_at(i, b.name);
    if (b.is_known) {
      svg +=
          rect(kNames, row_y(i), x(b.value) - kNames, kBarHeight, b.is_chosen ? kChosen : kPlain);
      svg += whisker(b, x, row_y(i));
    }
    svg += text_at(kWidth - kNumbers + 8, row_y(i) + kBarHeight - 3, b.text);
  }
  return svg + limit_line(c, x) + close_svg();
}

std::string stacked_chart(const StackedChart& c) {
  double most = 0;
  for (const auto& parts : c.values) {
    double sum = 0;
    for (const double v : parts) sum += v;
    most = std::max(most, sum);
  }
  const RowScale x{most > 0 ? 1.04 * most : 1};
  std::string svg = open_svg(c.title, row_y(c.names.size()) + 24);
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    svg += name_at(i, c.names[i]);
    double begin = 0;
    for (std::size_t k = 0; k < c.values[i].size(); ++k) {
      const double end = begin + c.values[i][k];
      if (c.values[i][k] > 0) {
        svg += rect(x(begin), row_y(i), x(end) - x(begin), kBarHeight, kParts[k % kParts.size()]);
      }
      begin = end;
    }
    svg += text_at(kWidth - kNumbers + 8, row_y(i) + kBarHeight - 3, c.texts[i]);
  }
  return svg + legend(c.parts, row_y(c.names.size()) + 14) + close_svg();
}

namespace {

struct PlacedLabel {
  double left = 0;
  double right = 0;
  double y = 0;
};

constexpr double kLetter = 6.5;  // px, of the page's 11 px type, on the wide side
constexpr double kLine = 13;

// Between ticks: 1, 2 or 5 times a power of ten, four of them or a few more to an axis.
double tick(double most) {
  const double rough = most / 4;
  const double ten = std::pow(10.0, std::floor(std::log10(rough)));
  const double times = rough / ten;
  return ten * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

std::string short_tick(double v) { return fixed(v, v >= 10 ? 0 : v >= 1 ? 1 : 3); }

// The nearest height at which a label runs over none of those placed before; it joins them.
double free_height(std::vector<PlacedLabel>& placed, PlacedLabel label, double lowest) {
  const double wanted = label.y;
  const auto covered = [&] {
    return std::any_of(placed.begin(), placed.end(), [&](const PlacedLabel& p) {
      return label.left < p.right && p.left < label.right && std::abs(label.y - p.y) < kLine;
    });
  };
  for (int i = 1; covered() && i < 40; ++i) {
    const double away = kLine * ((i + 1) / 2) * (i % 2 == 0 ? -1 : 1);
    if (wanted + away > kLine && wanted + away < lowest) label.y = wanted + away;
  }
  placed.push_back(label);
  return label.y;
}

}  // namespace

std::string scatter_chart(const ScatterChart& c) {
  constexpr double kHeight = 250;
  constexpr double kLeft = 64;
  constexpr double kBottom = kHeight - 40;
  double x_most = 0;
  double y_most = 0;
  for (const ScatterPoint& p : c.points) {
    x_most = std::max(x_most, 1.15 * p.x);
    y_most = std::max(y_most, 1.12 * p.y);
  }
  if (x_most <= 0) x_most = 1;
  if (y_most <= 0) y_most = 1;
  const auto x = [&](double v) { return kLeft + (kWidth - kLeft - 20) * v / x_most; };
  const auto y = [&](double v) { return kBottom - (kBottom - 12) * v / y_most; };
  std::string svg = open_svg(c.title, kHeight);
  svg += stroke(kLeft, kBottom, kWidth - 20, kBottom, "#66717d");
  svg += stroke(kLeft, 4, kLeft, kBottom, "#66717d");
  for (double v = tick(y_most); v <= y_most; v += tick(y_most)) {
    svg += stroke(kLeft, y(v), kWidth - 20, y(v), "#eceff2");
    svg += text_at(kLeft - 6, y(v) + 4, short_tick(v), "end", "dim");
  }
  for (double v = tick(x_most); v <= x_most; v += tick(x_most)) {
    svg += text_at(x(v), kBottom + 15, short_tick(v), "middle", "dim");
  }
  svg += text_at(kWidth - 20, kBottom + 32, c.x_name, "end") + text_at(kLeft + 6, 10, c.y_name);
  std::vector<ScatterPoint> front;
  for (const ScatterPoint& p : c.points) {
    if (p.on_front) front.push_back(p);
  }
  std::sort(front.begin(), front.end(),
            [](const ScatterPoint& a, const ScatterPoint& b) { return a.x < b.x; });
  for (std::size_t i = 1; i < front.size(); ++i) {
    svg += stroke(x(front[i - 1].x), y(front[i - 1].y), x(front[i].x), y(front[i].y), kPlain,
                  "stroke-dasharray=\"3 3\"");
  }
  std::vector<PlacedLabel> placed;
  for (const ScatterPoint& p : c.points) {
    svg += "<circle cx=\"" + num(x(p.x)) + "\" cy=\"" + num(y(p.y)) + "\" r=\"5\" fill=\"" +
           (p.is_chosen  ? kChosen
            : p.on_front ? kPlain
                         : "#c4c9cf") +
           "\"/>";
    const bool right_half = x(p.x) > 0.7 * kWidth;
    const double at = x(p.x) + (right_half ? -9 : 9);
    const double width = kLetter * static_cast<double>(p.name.size());
    const double height = free_height(
        placed, {right_half ? at - width : at, right_half ? at : at + width, y(p.y) + 4}, kBottom);
    svg += text_at(at, height, p.name, right_half ? "end" : "start");
  }
  return svg + close_svg();
}

std::string tornado_chart(const TornadoChart& c) {
  double least = c.middle;
  double most = c.middle;
  for (const TornadoBar& b : c.bars) {
    least = std::min({least, b.low, b.high});
    most = std::max({most, b.low, b.high});
  }
  const double span = most > least ? most - least : 1;
  constexpr double kBegin = 232;
  constexpr double kEnd = kWidth - 70;
  const auto x = [&](double v) { return kBegin + 62 + (kEnd - kBegin - 62) * (v - least) / span; };
  std::string svg = open_svg(c.title, row_y(c.bars.size()) + 18);
  for (std::size_t i = 0; i < c.bars.size(); ++i) {
    const TornadoBar& b = c.bars[i];
    const bool falls = b.high < b.low;
    const double from = x(std::min(b.low, b.high));
    const double to = x(std::max(b.low, b.high));
    svg += text_at(kBegin - 8, row_y(i) + kBarHeight - 3, b.name, "end");
    svg += rect(from, row_y(i), to - from, kBarHeight, b.is_light ? "#c4c9cf" : kPlain);
    svg += text_at(from - 5, row_y(i) + kBarHeight - 3, falls ? b.high_text : b.low_text, "end",
                   "dim");
    svg += text_at(to + 5, row_y(i) + kBarHeight - 3, falls ? b.low_text : b.high_text, "start",
                   "dim");
  }
  const double bottom = row_y(c.bars.size());
  svg += stroke(x(c.middle), kTop - 4, x(c.middle), bottom, "#1d2733");
  return svg + text_at(x(c.middle), bottom + 13, c.middle_text, "middle") + close_svg();
}

}  // namespace orrery
