// SPDX-License-Identifier: Apache-2.0
#include "document/svg.h"

#include "document/scripted.h"
#include "document/svg_marks.h"

namespace orrery {
namespace {

std::string element_of(const svg::Drawing& d, const std::string& title) {
  return "<svg" + svg::attribute("viewBox", "0 0 " + svg::px(d.width) + " " + svg::px(d.height)) +
         svg::attribute("role", "img") + svg::attribute("aria-label", title) + ">\n" + d.marks +
         "</svg>";
}

}  // namespace

std::string svg_of(const Chart& chart) {
  return std::visit(
      [](const auto& c) -> std::string {
        if constexpr (Scripted<std::decay_t<decltype(c)>>) {
          return "";
        } else {
          return "<figure><figcaption>" + html_escaped(c.title) + "</figcaption>" +
                 element_of(svg::drawing_of(c), c.title) + "</figure>\n";
        }
      },
      chart);
}

}  // namespace orrery
