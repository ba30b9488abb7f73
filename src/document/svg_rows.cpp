// SPDX-License-Identifier: Apache-2.0
//
// Bars, swings and heat maps: charts of rows with their names at the left.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "document/svg_marks.h"

namespace orrery::svg {
namespace {

constexpr double kNames = 190;    // left of the bars
constexpr double kNumbers = 150;  // right of them
constexpr double kRow = 26;
constexpr double kBarHeight = 15;
constexpr double kTop = 8;

double row_y(std::size_t i) { return kTop + kRow * static_cast<double>(i); }
double base_y(std::size_t i) { return row_y(i) + kBarHeight - 3; }

double sum(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

// From 0 to `most` over the width between names and numbers.
struct RowScale {
  double most = 1;
  double operator()(double v) const {
    return kNames + (kWidth - kNames - kNumbers) * std::clamp(v / most, 0.0, 1.0);
  }
};

RowScale scale_of(const BarPlot& c) {
  double most = c.limit.value_or(0);
  for (const BarRow& r : c.rows) most = std::max({most, sum(r.parts), r.high});
  return {most > 0 ? 1.04 * most : 1};
}

std::string bar(const BarPlot& c, const BarRow& row, const RowScale& x, double y) {
  std::string out;
  double begin = 0;
  for (std::size_t k = 0; k < row.parts.size(); ++k) {
    const double end = begin + row.parts[k];
    const std::string kind = !c.parts.empty() ? fill(k) : row.is_chosen ? "chosen" : "plain";
    if (c.parts.empty() || row.parts[k] > 0) {
      out +=
          rect(x(begin), y, x(end) - x(begin), kBarHeight, kind, c.parts.empty() ? "" : c.parts[k]);
    }
    begin = end;
  }
  return out;
}

std::string whisker(const BarRow& r, const RowScale& x, double y) {
  if (r.low >= r.high) return "";
  const double middle = y + kBarHeight / 2;
  return line(x(r.low), middle, x(r.high), middle, "axis") +
         line(x(r.low), middle - 4, x(r.low), middle + 4, "axis") +
         line(x(r.high), middle - 4, x(r.high), middle + 4, "axis");
}

std::string legend(const std::vector<std::string>& parts, double y) {
  std::string out;
  double x = 4;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += rect(x, y - 9, 10, 10, fill(i)) + text(x + 14, y, parts[i]);
    x += 26 + 6.6 * static_cast<double>(width_of(parts[i]));
  }
  return out;
}

struct HeatFrame {
  double left = 60;
  double row = 0;
  double column = 0;
  double least = 0;
};

// Dark is little: 0 for the least value to 4.
int shade(const HeatFrame& f, double value) {
  constexpr double kPale = 0.6;  // more than the least
  const double over = f.least > 0 ? (value / f.least - 1) / kPale : 0;
  return static_cast<int>(std::lround(std::clamp(over, 0.0, 1.0) * 4));
}

std::string heat_cell(const HeatFrame& f, const HeatCell& cell, std::size_t x, std::size_t y) {
  if (cell.text.empty()) return "";
  const double left = f.left + f.column * static_cast<double>(x);
  const double top = f.row * static_cast<double>(y);
  constexpr int kFirstPale = 3;
  const int level = cell.value ? shade(f, *cell.value) : kFirstPale;
  return rect(left, top, f.column - 2, f.row - 2,
              cell.value ? "shade" + std::to_string(level) : "empty", cell.title) +
         text(left + f.column / 2 - 1, top + f.row / 2 + 3, cell.text, "middle",
              level < kFirstPale ? "on-dark" : "dim");
}

}  // namespace

Drawing drawing_of(const BarPlot& c) {
  const RowScale x = scale_of(c);
  const std::size_t n = c.rows.size();
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    const BarRow& r = c.rows[i];
    out += text(kNames - 8, base_y(i), shortened(r.name, 28), "end") + bar(c, r, x, row_y(i)) +
           whisker(r, x, row_y(i)) + text(kWidth - kNumbers + 8, base_y(i), r.text);
  }
  double height = row_y(n) + 4;
  if (c.limit) {
    out += line(x(*c.limit), kTop - 4, x(*c.limit), row_y(n), "limit") +
           text(x(*c.limit), row_y(n) + 12, c.limit_text, "middle", "limit");
    height += 14;
  }
  if (!c.parts.empty()) {
    out += legend(c.parts, row_y(n) + 14);
    height += 20;
  }
  return {kWidth, height, out};
}

Drawing drawing_of(const SwingPlot& c) {
  double least = c.middle;
  double most = c.middle;
  for (const SwingRow& r : c.rows) {
    least = std::min({least, r.low, r.high});
    most = std::max({most, r.low, r.high});
  }
  const double span = most > least ? most - least : 1;
  constexpr double kBegin = 232;
  constexpr double kEnd = kWidth - 70;
  const auto x = [&](double v) { return kBegin + 62 + (kEnd - kBegin - 62) * (v - least) / span; };
  std::string out;
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    const SwingRow& r = c.rows[i];
    const bool falls = r.high < r.low;
    const double from = x(std::min(r.low, r.high));
    const double to = x(std::max(r.low, r.high));
    out += text(kBegin - 8, base_y(i), r.name, "end") +
           rect(from, row_y(i), to - from, kBarHeight, r.is_pale ? "pale" : "plain") +
           text(from - 5, base_y(i), falls ? r.high_text : r.low_text, "end", "dim") +
           text(to + 5, base_y(i), falls ? r.low_text : r.high_text, "start", "dim");
  }
  const double bottom = row_y(c.rows.size());
  out += line(x(c.middle), kTop - 4, x(c.middle), bottom, "axis") +
         text(x(c.middle), bottom + 13, c.middle_text, "middle");
  return {kWidth, bottom + 18, out};
}

Drawing drawing_of(const HeatMap& map) {
  HeatFrame f;
  f.row =
      std::clamp(300 / static_cast<double>(std::max<std::size_t>(1, map.ys.size())), 22.0, 34.0);
  f.column = (kWidth - f.left - 8) / static_cast<double>(std::max<std::size_t>(1, map.xs.size()));
  for (const auto& row : map.cells) {
    for (const HeatCell& c : row) {
      if (c.value && (f.least == 0 || *c.value < f.least)) f.least = *c.value;
    }
  }
  const double bottom = f.row * static_cast<double>(map.ys.size());
  std::string out;
  for (std::size_t y = 0; y < map.ys.size(); ++y) {
    const double middle = f.row * (static_cast<double>(y) + 0.5);
    out += text(f.left - 6, middle + 4, map.ys[y], "end");
    for (std::size_t x = 0; x < map.xs.size(); ++x) out += heat_cell(f, map.cells[y][x], x, y);
  }
  for (std::size_t x = 0; x < map.xs.size(); ++x) {
    out +=
        text(f.left + f.column * (static_cast<double>(x) + 0.5), bottom + 18, map.xs[x], "middle");
  }
  out += text(0.5 * (f.left + kWidth), bottom + 36, map.x_name + " across, " + map.y_name + " down",
              "middle", "dim");
  return {kWidth, bottom + 44, out};
}

}  // namespace orrery::svg
