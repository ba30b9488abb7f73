// SPDX-License-Identifier: Apache-2.0
//
// [ … ], [[ … ]] and `test`: true, false, or unknown where the text of a script does not tell
// (a file's existence, a variable from outside).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/shell/shell.h"

namespace orrery::shell {

using Truth = std::optional<bool>;

// `words` as written, between the brackets.
Truth truth_of_test(const std::vector<std::string>& words, const ShellVariables& variables);

// * and ? as a shell has them; a pattern with [ ] is unknown.
Truth matches_pattern(const std::string& text, const std::string& pattern);

bool is_known(const std::string& text);

Truth negated(Truth t);
Truth both(Truth a, Truth b);
Truth either(Truth a, Truth b);

}  // namespace orrery::shell
