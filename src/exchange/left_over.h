// SPDX-License-Identifier: Apache-2.0
//
// Settings of another tool's file that became no key of a run.
#pragma once

#include <string>

namespace orrery {

// A setting that became no key, as it was written, and why. One that `stops` changes memory or
// time: its key (if it is of one) stays missing, and the run is not whole without --assume.
// The reason of a setting of which nothing is known.
inline constexpr const char* kNoKeyOfRun = "no key of a run file";

struct LeftOver {
  std::string setting;
  std::string why;
  std::string key = {};
  bool is_refused = false;
};

}  // namespace orrery
