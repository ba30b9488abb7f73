// SPDX-License-Identifier: Apache-2.0
//
// The program's exit codes.
#pragma once

namespace orrery {

enum class ExitCode : int {
  answer = 0,
  fault = 1,        // of Orrery's own
  wrong_input = 2,  // the input is wrong or illegal: one line on stderr
  no = 3,           // a sound question whose answer is no; the full answer is on stdout
  out_of_tolerance = 4,
  interrupted = 130,  // what was done is kept
};

}  // namespace orrery
