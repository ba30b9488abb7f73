// SPDX-License-Identifier: Apache-2.0
//
// --name value … as lines of a shell command.
#pragma once

#include <string>
#include <string_view>

#include "exchange/names.h"

namespace orrery {

class ArgumentLines {
 public:
  // Names have dashes ("--seq-length"), or stay as they are ("--training.seq_len").
  enum class Style : std::uint8_t { dashes, as_is };

  explicit ArgumentLines(Style style = Style::dashes) : style_(style) {}

  void start();  // a new line, before the next argument
  void add(std::string_view name, const std::string& value = "");
  // Nothing for null, and for a flag that is off.
  void add_row(const NameRow& row, const Json& value);

  std::string text() const { return text_ + "\n"; }

 private:
  Style style_;
  bool fresh_ = true;
  std::string text_;
};

}  // namespace orrery
