// SPDX-License-Identifier: Apache-2.0
//
// A change of a run file, as --set takes it. Errors: none.
#pragma once

#include <string>

namespace orrery {

// One key of the run file and its new value: "null" takes the key away.
struct Setting {
  std::string path;
  std::string value;
};

}  // namespace orrery
