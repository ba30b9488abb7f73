// SPDX-License-Identifier: Apache-2.0
#include "cli/input_lines.h"

#include <iostream>

namespace orrery {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;

}  // namespace

bool next_line(std::string& line) {
  line.clear();
  std::streambuf& in = *std::cin.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  int c = in.sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = in.sbumpc()) {
    if (line.size() < kLongestLine) line += static_cast<char>(c);
  }
  return true;
}

}  // namespace orrery
