// SPDX-License-Identifier: Apache-2.0
//
// Python's source as statements, one a logical line: without comments, what brackets and
// backslashes join joined. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct PythonStatement {
  std::size_t indent = 0;  // blanks before it; a tab counts as one
  std::string text;
};

std::vector<PythonStatement> python_statements(const std::string& text);

// The statements of a block: from `first` to the next with at most `indent` blanks, or the end.
std::size_t end_of_block(const std::vector<PythonStatement>& all, std::size_t first,
                         std::size_t indent);

}  // namespace orrery
