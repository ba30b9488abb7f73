// SPDX-License-Identifier: Apache-2.0
//
// Names near one that nobody has, by their numbers and not by their letters: an A10 is no A100, and
// "wan2.1-14b" is a Wan 2.1 before it is another model of 14 B. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace orrery {

// The nearest of those with the same number, "3090" of "3090ti"; "" where none has it.
std::string nearest_by_number(const std::string& name, const std::vector<std::string>& known);

// Names that begin with the family of the name: "wan2.1" of "wan2.1-14b". None of a name without a
// dash behind a digit.
std::vector<std::string> of_same_family(const std::string& name,
                                        const std::vector<std::string>& known);

}  // namespace orrery
