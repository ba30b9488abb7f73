// SPDX-License-Identifier: Apache-2.0
//
// Formulas of a tool's rules: "= batch_size / micro_batch_size", "= 16 // batch // @gpus max 1".
// Names, numbers and signs stand with blanks between them. * / // (divided and rounded up) hold
// before + -, and these before up, down (rounded to a multiple), min, max; equals are worked from
// left to right. Errors: none; nothing where a name has no value, and where the result is no whole
// number from 0 to 10¹⁵.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::tools {

bool is_sign(std::string_view word);

std::optional<std::int64_t> worked(
    const std::vector<std::string>& formula,
    const std::function<std::optional<double>(const std::string& name)>& value_of);

}  // namespace orrery::tools
