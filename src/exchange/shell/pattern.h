// SPDX-License-Identifier: Apache-2.0
//
// Patterns of a shell: * ? [a-z] [!a] and escapes. Left out: +( … ) and its kin.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::shell {

bool matches_pattern(std::string_view text, std::string_view pattern);

// ${A#p}, ${A##p}, ${A%p}, ${A%%p}; nothing of texts longer than kLongestExpression.
std::optional<std::string> without_part(const std::string& value, const std::string& pattern,
                                        std::string_view sign);

// ${A/p/with}, ${A//p/with}, ${A/#p/with}, ${A/%p/with}
std::optional<std::string> with_replaced(const std::string& value, const std::string& pattern,
                                         const std::string& with, std::string_view sign);

}  // namespace orrery::shell
