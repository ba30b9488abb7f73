// SPDX-License-Identifier: Apache-2.0
//
// The part of its map where a claim's check holds, in words: "layout: three-level, and micro batch:
// 1 or 2 (2 of 12 points of the map)". If the points that hold are not all combinations of values,
// the text goes value by value of the first axis; if that fails too, it gives their number. Refused
// points do not count.
#pragma once

#include <string>
#include <vector>

#include "validate/claim_verdict.h"

namespace orrery {

std::string where_it_holds(const Claim& claim, const std::vector<ClaimPoint>& points,
                           std::size_t check);

}  // namespace orrery
