// SPDX-License-Identifier: Apache-2.0
//
// Charts as SVG inside a page: no script, prints as it looks, every bar has its number beside it.
//
// Colours are fixed and tell nothing that a label does not tell too. Text is escaped here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/escape.h"

namespace orrery {

// A bar with what it may be at least and at most (a whisker; low = high: none).
struct ChartBar {
  std::string name;
  double value = 0;
  double low = 0;
  double high = 0;
  std::string text;      // the number as it is read
  bool is_known = true;  // else `text` alone stands there
  bool is_chosen = false;
};

struct BarChart {
  std::string title;
  std::vector<ChartBar> bars;
  std::optional<double> limit;  // a line across
  std::string limit_text;
};

std::string bar_chart(const BarChart& c);

// Bars made of parts; the parts' names are the legend.
struct StackedChart {
  std::string title;
  std::vector<std::string> parts;
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // by name, by part
  std::vector<std::string> texts;           // by name
};

std::string stacked_chart(const StackedChart& c);

// Points of two measures; those of the front are joined.
struct ScatterPoint {
  std::string name;
  double x = 0;
  double y = 0;
  bool on_front = false;
  bool is_chosen = false;
};

struct ScatterChart {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<ScatterPoint> points;
};

std::string scatter_chart(const ScatterChart& c);

// Bars to both sides of a middle.
struct TornadoBar {
  std::string name;
  double low = 0;
  double high = 0;
  std::string low_text;
  std::string high_text;
  bool is_light = false;
};

struct TornadoChart {
  std::string title;
  double middle = 0;
  std::string middle_text;
  std::vector<TornadoBar> bars;
};

std::string tornado_chart(const TornadoChart& c);

}  // namespace orrery
