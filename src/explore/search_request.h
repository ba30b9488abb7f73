// SPDX-License-Identifier: Apache-2.0
//
// A search as it was asked for: a plain value, which space_json.h reads.
#pragma once

#include "estimate/open_run.h"
#include "explore/conditions.h"
#include "explore/space.h"

namespace orrery {

struct SearchRequest {
  OpenRun open;  // of the first base
  Space space;
  std::size_t top = 5;
  double tie = 0;  // 0: the interval's
  Conditions conditions;
};

}  // namespace orrery
