// SPDX-License-Identifier: Apache-2.0
//
// The strategies of a search that its report lists, and why.
//
// The recommended one, the fastest (with an objective, the best by it) where it is another, then
// the best of other kinds within the error bar (a kind: tp, cp, pp, ep, recompute, ZeRO 3 or less),
// then the next best. Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "insight/search_report.h"

namespace orrery {

// Up to `top`, but the first two always; of an answer with a best.
std::vector<Found> listed_strategies(const SearchAnswer& a, std::size_t top);

// Sets which one is the best, and of each why it is listed.
void explain_listed(SearchReport& r);

// The step of the first `n` as the simulator has it.
void simulate_listed(SearchReport& r, std::size_t n);

}  // namespace orrery
