// SPDX-License-Identifier: Apache-2.0
//
// The one error a user's input can cause. It is thrown only while input is read and resolved, never
// by the chain; the command line turns it into one line on stderr and exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace orrery {

// One line: where, what was found, what is allowed, the nearest right name (if any is near).
class InputError : public std::runtime_error {
 public:
  InputError(std::string file, std::string path, const std::string& found,
             const std::string& allowed, const std::string& nearest = "");

  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }

 private:
  std::string file_;
  std::string path_;
};

// The candidate closest to `word` by edit distance, or "" where none is near enough to suggest.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

}  // namespace orrery
