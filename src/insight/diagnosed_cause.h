// SPDX-License-Identifier: Apache-2.0
//
// A cause that a diagnosis names. Errors: none.
#pragma once

#include <string>

namespace orrery {

struct DiagnosedCause {
  std::string what;
  std::string evidence;
  std::string check;   // what would decide
  std::string mend;    // what to do
  std::string change;  // of the run file, as it is typed; "": no key says it
  double probability = 0;
};

}  // namespace orrery
