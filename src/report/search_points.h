// SPDX-License-Identifier: Apache-2.0
//
// A search as charts: its best, its front and the best of every family as points, and the best of
// every pair of two axes as a map. Only where the search was asked for a page.
#pragma once

#include "document/chart.h"
#include "insight/search_report.h"

namespace orrery {

PointsPlot search_points(const SearchReport& r);
HeatMap search_pairs(const SearchReport& r);

}  // namespace orrery
