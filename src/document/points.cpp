// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "document/escape.h"
#include "document/scripted.h"
#include "document/value.h"

namespace orrery {
namespace {

template <class Items, class JsonOf>
Json list(const Items& items, JsonOf&& json_of) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(json_of(item));
  return out;
}

Json point_data(const PickPoint& p) {
  return {{"title", p.title},   {"kind", p.kind},   {"at", {p.x, p.y}},
          {"totals", p.totals}, {"parts", p.parts}, {"values", p.values}};
}

Json bar_data(const PickBar& b) {
  return {{"name", b.name}, {"unit", b.unit}, {"parts", b.parts}, {"limit", b.limit}};
}

}  // namespace

std::string frame_of(const PointsPlot& plot) {
  std::string out = "<figure class=\"points\"><figcaption>" + html_escaped(plot.title) +
                    "</figcaption>\n<p class=\"legend\">";
  for (const ChartKind& k : plot.kinds) {
    out += "<span><i class=\"back" + std::to_string(k.colour) + "\"></i>" + html_escaped(k.name) +
           "</span>";
  }
  return out +
         "</p>\n<p class=\"dim\">A click on a point, a line or a row picks it; a click on a title "
         "sorts.</p>\n<svg id=\"scatter\"></svg><svg id=\"bars\"></svg><svg id=\"parallel\"></svg>"
         "<div class=\"scroll tall\"><table id=\"points\"></table></div>\n"
         "<noscript>A script in this page draws the points.</noscript></figure>\n";
}

std::string script_of(const PointsPlot& plot) {
  const Json data = {{"x", plot.x_name},
                     {"y", plot.y_name},
                     {"kinds", list(plot.kinds, [](const ChartKind& k) { return k.colour; })},
                     {"bars", list(plot.bars, bar_data)},
                     {"columns", plot.columns},
                     {"points", list(plot.points, point_data)}};
  return drawing_script("points", "drawPoints",
                        data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace orrery
