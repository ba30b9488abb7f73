// SPDX-License-Identifier: Apache-2.0
//
// A user's bytes as a message may quote them: valid UTF-8, no control characters, and an end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/limits.h"

namespace orrery {

// At most `most` bytes and, where some were cut, "…"; never half a character. Bytes that are no
// UTF-8 become U+FFFD, control characters become spaces.
std::string quote(std::string_view text, std::size_t most = kLongestQuote);

}  // namespace orrery
