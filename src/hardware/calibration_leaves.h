// SPDX-License-Identifier: Apache-2.0
//
// The values that an overlay changes, each with the path to it. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace orrery {

struct Leaf {
  std::vector<std::string> keys;
  Json value;
};

std::vector<Leaf> leaves_of(const Json& changes);

// "device.efficiency.memory"
std::string path_of(const std::vector<std::string>& keys);

}  // namespace orrery
