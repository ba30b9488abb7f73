// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "core/json.h"
#include "document/escape.h"
#include "document/scripted.h"
#include "document/value.h"

namespace orrery {
namespace {

// Seven digits: a page of a million numbers must stay small.
std::string number(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.7g", x);
  return buffer;
}

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Items, class TextOf>
std::string list(const Items& items, const char* between, TextOf&& text_of) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? between : "") + text_of(item);
  return out + "]";
}

std::string span_data(const LaneSpan& s) {
  return "[" + number(s.begin) + "," + number(s.end) + "," + std::to_string(s.kind) + "," +
         json_text(s.label) + (s.is_beside ? ",1]" : "]");
}

std::string lane_data(const Lane& lane) { return list(lane.spans, ",", span_data); }

std::string curve_data(const Lane& lane) {
  return list(lane.curve, ",", [](const auto& point) {
    return "[" + number(point.first) + "," + number(point.second) + "]";
  });
}

std::string kind_data(const ChartKind& k) {
  return "[" + json_text(k.name) + "," + std::to_string(k.colour) + "]";
}

bool is_used(const LanePlot& plot, std::size_t kind) {
  return std::any_of(plot.lanes.begin(), plot.lanes.end(), [&](const Lane& lane) {
    return std::any_of(lane.spans.begin(), lane.spans.end(),
                       [&](const LaneSpan& s) { return s.kind == kind; });
  });
}

}  // namespace

std::string frame_of(const LanePlot& plot) {
  std::string out = "<figure class=\"lanes\"><figcaption>" + html_escaped(plot.title) +
                    "</figcaption>\n<p class=\"legend\">";
  for (std::size_t i = 0; i < plot.kinds.size(); ++i) {
    if (!is_used(plot, i)) continue;
    out += "<span><i class=\"back" + std::to_string(plot.kinds[i].colour) + "\"></i>" +
           html_escaped(plot.kinds[i].name) + "</span>";
  }
  return out +
         "<span>empty: waits</span><span>thin: hidden under another</span></p>\n"
         "<canvas id=\"lanes\" tabindex=\"0\"></canvas><div id=\"tip\"></div>\n"
         "<p class=\"dim\">A row is a " +
         html_escaped(plot.lane_name) +
         ". Wheel: zoom, drag: move, double click: the whole, click a row: its " +
         html_escaped(plot.curve_name) +
         ".</p>\n<noscript>A script in this page draws the lanes.</noscript></figure>\n";
}

std::string script_of(const LanePlot& plot) {
  const std::string data =
      "{\"end\":" + number(plot.end) + ",\"limit\":" + number(plot.curve_limit) +
      ",\"chosen\":" + std::to_string(plot.chosen) + ",\"lane\":" + json_text(plot.lane_name) +
      ",\"curve\":" + json_text(plot.curve_name) + ",\"unit\":" + json_text(plot.curve_unit) +
      ",\"limitName\":" + json_text(plot.limit_name) +
      ",\"kinds\":" + list(plot.kinds, ",", kind_data) +
      ",\n\"lanes\":" + list(plot.lanes, ",\n", lane_data) +
      ",\n\"curves\":" + list(plot.lanes, ",\n", curve_data) + "}";
  return drawing_script("lanes", "drawLanes", data);
}

}  // namespace orrery
