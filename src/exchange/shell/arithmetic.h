// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of whole numbers, as $(( )) has it, over numbers that are known, unknown or one of
// several; a truth is 1 or 0. Left out: bits, powers, bases, and assignments within an expression.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::shell {

// The numbers that it may be, each once; none where it is unknown.
using Numbers = std::vector<std::int64_t>;

// `value_of`: the numbers of a name.
Numbers arithmetic(std::string_view text,
                   const std::function<Numbers(const std::string&)>& value_of);

// A whole number, as a value of a variable; none where it is no such text.
Numbers number_in(std::string_view text);

}  // namespace orrery::shell
