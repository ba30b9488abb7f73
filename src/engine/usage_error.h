// SPDX-License-Identifier: Apache-2.0
//
// A command line that cannot be meant: one line for stderr, exit code 2.
#pragma once

#include <stdexcept>

namespace orrery {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
