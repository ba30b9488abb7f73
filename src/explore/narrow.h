// SPDX-License-Identifier: Apache-2.0
//
// A space too large to try within a minute or two, made smaller.
//
// Free axes lose values, a step of a table at a time, until few enough cells are left (space.h) or
// no step is. Which values go first is a judgement: of those, large runs hardly ever use any. An
// axis that the user named keeps its values, "free" included. The answer says what was left out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "explore/axes.h"

namespace orrery {

struct Space;

inline constexpr std::int64_t kMostCells = 8'000'000;

struct NotTried {
  SearchAxis axis = SearchAxis::micro_batch;
  std::string_view values;  // "above 8"
};

std::vector<NotTried> narrow(Space& space, std::int64_t most_cells = kMostCells);

// Goes on where that is not enough, down to the layouts that most runs use: to compare sizes of a
// cluster, of which each is searched.
std::vector<NotTried> narrow_further(Space& space, std::int64_t most_cells);

}  // namespace orrery
