// SPDX-License-Identifier: Apache-2.0
//
// Charts as values: series and axes, bars, swings, a map of two axes, lanes over time.
//
// Colours are numbers of the palette in chart.css (0 to 9), and tell nothing that a label does not
// tell too. Plain text leaves charts out: what they show stands in a table beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery {

struct PlotTick {
  double at = 0;
  std::string text;
};

struct PlotAxis {
  std::string name;  // with its unit
  bool is_log = false;
  std::vector<PlotTick> ticks{};  // without: round numbers
  std::optional<double> low{};
  std::optional<double> high{};
};

enum class Mark : std::uint8_t { dots, rings, line, dashes };

struct XyPoint {
  double x = 0;
  double y = 0;
  std::string title{};  // shown where the pointer rests
  std::string name{};   // stands beside it
};

struct XySeries {
  std::string name;  // in the legend; "": no entry
  Mark mark = Mark::dots;
  std::size_t colour = 0;
  std::vector<XyPoint> points{};
};

struct XyPlot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<XySeries> series{};
  bool has_diagonal = false;  // y = x; both axes alike
  double band = 0;            // dashed lines at that share above and below it
};

// A bar, or parts that add up to one, with the least and the most it may be.
struct BarRow {
  std::string name;
  std::vector<double> parts;  // none: not known, `text` alone stands there
  std::string text;           // the number as it is read
  double low = 0;
  double high = 0;  // a whisker where above `low`
  bool is_chosen = false;
};

struct BarPlot {
  std::string title;
  std::vector<std::string> parts{};  // the legend, where bars have several
  std::vector<BarRow> rows{};
  std::optional<double> limit{};  // a line across
  std::string limit_text{};
};

// Bars to both sides of a middle: what each input does at the ends of its range.
struct SwingRow {
  std::string name;
  double low = 0;
  double high = 0;
  std::string low_text;
  std::string high_text;
  bool is_pale = false;
};

struct SwingPlot {
  std::string title;
  double middle = 0;
  std::string middle_text;
  std::vector<SwingRow> rows{};
};

// A cell of two axes; the least value is the darkest.
struct HeatCell {
  std::optional<double> value{};  // nothing: `text` says why
  std::string text{};             // "": an empty place
  std::string title{};
};

struct HeatMap {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<std::string> xs{};
  std::vector<std::string> ys{};
  std::vector<std::vector<HeatCell>> cells{};  // by y, by x
};

// Lanes of spans over time with a curve for each: drawn by a script that zooms and moves.
struct LaneSpan {
  double begin = 0;  // s
  double end = 0;
  std::size_t kind = 0;
  std::string label{};
  bool is_beside = false;  // under another: a thin line
};

struct Lane {
  std::vector<LaneSpan> spans;                   // in order
  std::vector<std::pair<double, double>> curve;  // steps: time, height
};

// The legend's words for one kind of span or point.
struct ChartKind {
  std::string name;
  std::size_t colour = 0;
};

struct LanePlot {
  std::string title;
  std::string lane_name;   // "stage"
  std::string curve_name;  // "memory"
  std::string curve_unit{};
  double curve_limit = 0;  // a line across
  std::string limit_name{};
  double end = 0;
  std::size_t chosen = 0;
  std::vector<ChartKind> kinds{};
  std::vector<Lane> lanes{};
};

// Points in several views that pick together: two of their numbers against each other, every
// named value beside a result, bars of the parts of the picked one, a table that sorts.
struct PickPoint {
  std::string title;
  std::size_t kind = 0;
  double x = 0;
  double y = 0;
  std::vector<double> totals{};              // by PickBar
  std::vector<std::vector<double>> parts{};  // by PickBar: they add up to its total
  std::vector<std::string> values{};         // by column
};

struct PickBar {
  std::string name;
  std::string unit;
  std::vector<std::string> parts;
  double limit = 0;  // a line across; 0: none
};

struct PointsPlot {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<ChartKind> kinds{};  // the last are drawn over the others
  std::vector<PickBar> bars{};     // the total of the first is the result of a point
  std::vector<std::string> columns{};
  std::vector<PickPoint> points{};  // the first is picked
};

using Chart = std::variant<XyPlot, BarPlot, SwingPlot, HeatMap, LanePlot, PointsPlot>;

}  // namespace orrery
