// SPDX-License-Identifier: Apache-2.0
//
// Charts as SVG: no script, prints as it looks, light and dark. Colours come from chart.css, by
// class; text is escaped here. A chart that a script draws (scripted.h) has no SVG: "".
#pragma once

#include <string>

#include "document/chart.h"

namespace orrery {

std::string svg_of(const Chart& chart);  // a figure of a page

}  // namespace orrery
