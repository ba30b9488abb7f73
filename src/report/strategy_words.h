// SPDX-License-Identifier: Apache-2.0
//
// A strategy in one line: "tp 4 sp, pp 8 interleaved 12, dp 128 ZeRO 1, batch 2, recompute none".
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct NotTried;

struct Strategy;

struct Space;

// Leaves out degrees of 1 and absent settings; outer axes stand in front.
std::string strategy_words(const Space& space, std::size_t base, const Strategy& s);

// The part that names axes which only some searches have; "" where there are none.
std::string besides_words(const Space& space, std::size_t base, const Strategy& s);

// "micro_batch above 8, vpp above 12".
std::string not_tried_words(const std::vector<NotTried>& all);

}  // namespace orrery
