// SPDX-License-Identifier: Apache-2.0
//
// The words of a command line as settings (--name value…, --name=value, --flag), and settings as
// the lines of a shell command.
//
// A name's dashes become underscores. Several values are an array. Values end at the next name, at
// a program (….py) or at a sign of the shell. Words without a name before them are ignored.
// Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/settings.h"

namespace orrery {

class ArgumentLines {
 public:
  // Names have dashes ("--seq-length"), or stay as they are ("--training.seq_len").
  enum class Style : std::uint8_t { dashes, as_is };

  explicit ArgumentLines(Style style = Style::dashes) : style_(style) {}

  void start();  // a new line, before the next argument
  void add(std::string_view name, const std::string& value = "");

  std::string text() const { return text_ + "\n"; }
  // Names and values in the order they were added; a flag's value is empty.
  const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

 private:
  Style style_;
  bool fresh_ = true;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> list_;
};

Settings settings_of_words(const std::vector<std::string>& words, const std::string& file);

// A value that only a running shell knows: it holds a dollar sign.
bool is_unknown_to_us(const Json& value);
// Why, of a file: "a value only the shell knows"
const char* why_unknown(const std::string& file);

}  // namespace orrery
