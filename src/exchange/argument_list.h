// SPDX-License-Identifier: Apache-2.0
//
// Settings from the words of a command line: --name value…, --name=value, --flag.
//
// A name's dashes become underscores. Several values are an array. Values end at the next name, at
// a program (….py) or at a sign of the shell. Words without a name before them are ignored, except
// NAME=value, which is a setting of that name if `variables` lists it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/settings.h"

namespace orrery {

Settings settings_of_words(const std::vector<std::string>& words, const std::string& file,
                           std::span<const std::string_view> variables = {});

// A value that only a running shell knows: it holds a dollar sign.
bool is_unknown_to_us(const Json& value);

}  // namespace orrery
