// SPDX-License-Identifier: Apache-2.0
//
// The value of a Python expression, as far as its text and the names that are set give it.
//
// A value that only a running program knows is its text behind a dollar sign. A class's call with
// named arguments is an object of these and its `type`; positional ones are `args`. A name that is
// imported is its own dotted name (`torch.bfloat16`: "bfloat16"). Beyond kDeepestNesting, or
// kMostValues that names repeat, a value is not known. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/json.h"

namespace orrery {

struct PythonNames {
  std::map<std::string, Json, std::less<>> values;
  std::set<std::string, std::less<>> imported;
  std::set<std::string, std::less<>> passed;  // whole, as an argument or an element
  std::size_t repeated = 0;                   // values that were read by a name
  bool stand_for_themselves = true;           // imported names and calls of classes; else not known
};

Json python_value(const std::string& text, PythonNames& names, int depth = 0);

bool is_unknown(const Json& value);
Json unknown_python(std::string_view text);
// Python's truth of a value; nothing of an unknown one.
std::optional<bool> python_truth(const Json& value);

// The place of the bracket that closes the one at `at`; the end of the text where none does.
std::size_t end_of_bracket(const std::string& text, std::size_t at);

}  // namespace orrery
