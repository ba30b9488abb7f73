// SPDX-License-Identifier: Apache-2.0
#include "report/charts.h"

#include <algorithm>
#include <array>

#include "document/words.h"
#include "report/chart_marks.h"

namespace orrery {
namespace {

using chart::close_svg;
using chart::kChosen;
using chart::kPlain;
using chart::kWidth;
using chart::num;
using chart::open_svg;
using chart::rect;
using chart::stroke;
using chart::text_at;

constexpr double kNames = 190;    // left of the bars
constexpr double kNumbers = 150;  // right of them
constexpr double kRow = 26;
constexpr double kBarHeight = 15;
constexpr double kTop = 8;
constexpr const char* kLimit = "#b3402e";
constexpr std::array<const char*, 8> kParts = {"#2b5c93", "#c07a2c", "#7d4b8f", "#b3402e",
                                               "#3f8f5b", "#c9a227", "#8a8f98", "#5aa6a6"};

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
