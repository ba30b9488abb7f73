// SPDX-License-Identifier: Apache-2.0
//
// A text that another program has written, and the name of its file.
#pragma once

#include <string>

namespace orrery {

// The first line of a document that stands in place of a Python file (exchange/python_values.h).
inline constexpr const char* kOfPythonValues = "# values of a Python file\n";

struct ForeignFile {
  std::string name;
  std::string text;
};

}  // namespace orrery
