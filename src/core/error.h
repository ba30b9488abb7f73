// SPDX-License-Identifier: Apache-2.0
//
// The one error a user's input can cause. It is thrown only while input is read and resolved, never
// by the chain; the command line turns it into one line on stderr and exit code 2.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

// The kind of mistake, for callers that act on it; the message is for people alone.
enum class ErrorCode : std::uint8_t {
  not_allowed,   // a value that may not stand there, for a reason of its own
  malformed,     // a text that does not parse: no JSON, TOML, quantity, expression
  unknown_key,   // a key that nothing reads
  missing_key,   // a required key is absent
  wrong_type,    // a text where a number belongs
  out_of_range,  // a number below the lowest or above the highest
  unknown_name,  // a word that is none of the names
  not_found,     // a file that cannot be opened
  conflict,      // two keys that contradict each other
  broken_rule,   // a strategy or training that model, batch, device or software do not allow
};
constexpr EnumNames<ErrorCode> names_of(ErrorCode) {
  return {"not_allowed",  "malformed",    "unknown_key", "missing_key", "wrong_type",
          "out_of_range", "unknown_name", "not_found",   "conflict",    "broken_rule"};
}

// what() is one line: where, what was found, what is allowed, the nearest right name (if any is
// near). The parts are as given, of any length.
class InputError : public std::runtime_error {
 public:
  InputError(std::string file, std::string path, std::string found, std::string allowed,
             std::string nearest = "");
  InputError(ErrorCode code, std::string file, std::string path, std::string found,
             std::string allowed, std::string nearest = "");

  ErrorCode code() const { return code_; }
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  const std::string& found() const { return found_; }
  const std::string& allowed() const { return allowed_; }
  const std::string& nearest() const { return nearest_; }

 private:
  ErrorCode code_;
  std::string file_;
  std::string path_;
  std::string found_;
  std::string allowed_;
  std::string nearest_;
};

// The candidate closest to `word` by edit distance, or "" where none is near enough to suggest.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

}  // namespace orrery
