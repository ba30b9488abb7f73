// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "document/words.h"
#include "report/chart_marks.h"
#include "report/charts.h"

namespace orrery {
namespace {

using chart::close_svg;
using chart::kChosen;
using chart::kPlain;
using chart::kWidth;
using chart::num;
using chart::open_svg;
using chart::stroke;
using chart::text_at;

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

class Scatter {
 public:
  explicit Scatter(const ScatterChart& c) : chart_(c) {
    for (const ScatterPoint& p : c.points) {
      x_most_ = std::max(x_most_, 1.15 * p.x);
      y_most_ = std::max(y_most_, 1.12 * p.y);
    }
    if (x_most_ <= 0) x_most_ = 1;
    if (y_most_ <= 0) y_most_ = 1;
  }

  std::string svg() {
    return open_svg(chart_.title, kHeight) + axes() + front_line() + points() + close_svg();
  }

 private:
  static constexpr double kHeight = 250;
  static constexpr double kLeft = 64;
  static constexpr double kBottom = kHeight - 40;

  double x(double v) const { return kLeft + (kWidth - kLeft - 20) * v / x_most_; }
  double y(double v) const { return kBottom - (kBottom - 12) * v / y_most_; }

  std::string axes() const {
    std::string svg = stroke(kLeft, kBottom, kWidth - 20, kBottom, "#66717d");
    svg += stroke(kLeft, 4, kLeft, kBottom, "#66717d");
    for (double v = tick(y_most_); v <= y_most_; v += tick(y_most_)) {
      svg += stroke(kLeft, y(v), kWidth - 20, y(v), "#eceff2");
      svg += text_at(kLeft - 6, y(v) + 4, short_tick(v), "end", "dim");
    }
    for (double v = tick(x_most_); v <= x_most_; v += tick(x_most_)) {
      svg += text_at(x(v), kBottom + 15, short_tick(v), "middle", "dim");
    }
    return svg + text_at(kWidth - 20, kBottom + 32, chart_.x_name, "end") +
           text_at(kLeft + 6, 10, chart_.y_name);
  }

  std::string front_line() const {
    std::vector<ScatterPoint> front;
    for (const ScatterPoint& p : chart_.points) {
      if (p.on_front) front.push_back(p);
    }
    std::sort(front.begin(), front.end(),
              [](const ScatterPoint& a, const ScatterPoint& b) { return a.x < b.x; });
    std::string svg;
    for (std::size_t i = 1; i < front.size(); ++i) {
      svg += stroke(x(front[i - 1].x), y(front[i - 1].y), x(front[i].x), y(front[i].y), kPlain,
                    "stroke-dasharray=\"3 3\"");
    }
    return svg;
  }

  std::string points() const {
    std::string svg;
    std::vector<PlacedLabel> placed;
    for (const ScatterPoint& p : chart_.points) {
      const char* fill = p.is_chosen ? kChosen : p.on_front ? kPlain : "#c4c9cf";
      svg += "<circle cx=\"" + num(x(p.x)) + "\" cy=\"" + num(y(p.y)) + "\" r=\"5\" fill=\"" +
             fill + "\"/>" + name_of(p, placed);
    }
    return svg;
  }

  // Beside its point, where no other name stands.
  std::string name_of(const ScatterPoint& p, std::vector<PlacedLabel>& placed) const {
    const bool right_half = x(p.x) > 0.7 * kWidth;
    const double at = x(p.x) + (right_half ? -9 : 9);
    const double width = kLetter * static_cast<double>(p.name.size());
    const double height = free_height(
        placed, {right_half ? at - width : at, right_half ? at : at + width, y(p.y) + 4}, kBottom);
    return text_at(at, height, p.name, right_half ? "end" : "start");
  }

  const ScatterChart& chart_;
  double x_most_ = 0;
  double y_most_ = 0;
};

}  // namespace

std::string scatter_chart(const ScatterChart& c) { return Scatter(c).svg(); }

}  // namespace orrery
