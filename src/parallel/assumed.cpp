// SPDX-License-Identifier: Apache-2.0
#include "parallel/assumed.h"

#include <algorithm>

namespace orrery {

bool is_assumed(const std::vector<Assumed>& assumed, std::string_view path) {
  return std::any_of(assumed.begin(), assumed.end(),
                     [&](const Assumed& a) { return a.path == path; });
}

}  // namespace orrery
