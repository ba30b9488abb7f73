// SPDX-License-Identifier: Apache-2.0
//
// Flags as trainers spell them, in our words: other names of the same key (--seq-len), switches
// with a value (--gradient-checkpointing true), and adapters without a rank (--qlora). Errors:
// none.
#pragma once

#include <string>
#include <vector>

namespace orrery {

// The last word comes first, as CLI11 takes them. A rank that nobody gave is named in a warning.
std::vector<std::string> spelled(std::vector<std::string> words);

}  // namespace orrery
