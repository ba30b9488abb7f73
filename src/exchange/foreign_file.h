// SPDX-License-Identifier: Apache-2.0
//
// A text that another program has written, and the name of its file.
#pragma once

#include <string>

namespace orrery {

struct ForeignFile {
  std::string name;
  std::string text;
};

}  // namespace orrery
