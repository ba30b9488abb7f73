// SPDX-License-Identifier: Apache-2.0
//
// A cause that a diagnosis names. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "insight/settings.h"

namespace orrery {

struct DiagnosedCause {
  std::string what;
  std::string evidence;
  std::string check;   // what would decide
  std::string mend;    // what to do
  std::string change;  // of the run file, as it is typed; "": no key says it
  double probability = 0;
  bool outside_run = false;            // no setting of the run mends it
  std::vector<Setting> settings = {};  // of `change`
};

}  // namespace orrery
