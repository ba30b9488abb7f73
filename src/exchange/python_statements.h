// SPDX-License-Identifier: Apache-2.0
//
// Python's source as statements, one a logical line: without comments, what brackets and
// backslashes join joined. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct PythonStatement {
  std::size_t indent = 0;  // blanks before it; a tab counts as one
  std::string text;
};

std::vector<PythonStatement> python_statements(const std::string& text);

// "a = b = value", "name: Type = value" and "a += value".
struct PythonAssignment {
  std::vector<std::string> targets;
  std::string sign;   // of an augmented one
  std::string value;  // a tuple in brackets
};

// Nothing for a statement of another kind.
std::optional<PythonAssignment> python_assignment(const std::string& statement);

// The first place of a sign outside of strings and brackets; npos where there is none.
std::size_t find_python_sign(const std::string& text, char sign);

// The statements of a block: from `first` to the next with at most `indent` blanks, or the end.
std::size_t end_of_block(const std::vector<PythonStatement>& all, std::size_t first,
                         std::size_t indent);

}  // namespace orrery
