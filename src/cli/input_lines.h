// SPDX-License-Identifier: Apache-2.0
//
// Lines of standard input: questions of scripts and agents.
#pragma once

#include <string>

namespace orrery {

// The next line, or the beginning of a line too long to be a question. False at the end.
bool next_line(std::string& line);

inline bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace orrery
