// SPDX-License-Identifier: Apache-2.0
//
// A search as one HTML page that needs nothing else: the Pareto front of step and memory (or of the
// first two aims asked for), a heat map of the best over two axes, parallel coordinates and a table
// of every strategy the answer holds, bars of the one that is picked. The same search gives the
// same bytes. Where nothing fits it says so. Errors: none.
#pragma once

#include <string>

#include "insight/search_report.h"

namespace orrery {

// Of a report with SearchExtras::page.
std::string search_html(const SearchReport& r);

}  // namespace orrery
