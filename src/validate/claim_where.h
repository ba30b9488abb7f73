// SPDX-License-Identifier: Apache-2.0
//
// Where on its map a claim's check holds, in words: "layout: three-level, and micro batch: 1 or 2
// (2 of 12 points of the map)". Where the points that hold are not all combinations of some values,
// value by value of the first axis; where that does not say it either, how many they are. Points
// that were refused do not count.
#pragma once

#include <string>
#include <vector>

#include "validate/claim_verdict.h"

namespace orrery {

std::string where_it_holds(const Claim& claim, const std::vector<ClaimPoint>& points,
                           std::size_t check);

}  // namespace orrery
