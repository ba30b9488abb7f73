// SPDX-License-Identifier: Apache-2.0
//
// Values of a search's axes that a plan's search for the strategy did not try, and that where sizes
// were compared did not (option.h). Errors: none.
#pragma once

#include <vector>

#include "explore/narrow.h"

namespace orrery {

struct LayoutsLeftOut {
  std::vector<NotTried> of_answer;
  std::vector<NotTried> of_sizes;
};

}  // namespace orrery
