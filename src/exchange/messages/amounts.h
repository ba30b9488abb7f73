// SPDX-License-Identifier: Apache-2.0
//
// Amounts of memory beside words of a message: "2.00 GiB", "1024 bytes", "1.5GiB", "20.47G". All
// units are powers of 1,024. Errors: none; nothing where no amount stands there.
#pragma once

#include <optional>
#include <string_view>

#include "orrery/quantity.h"

namespace orrery {

// Behind the first `marker`: blanks, colons and "= " between them are skipped. A number without a
// unit is of bytes where `bare`.
std::optional<Bytes> amount_behind(std::string_view text, std::string_view marker,
                                   bool bare = false);

// Directly before the first `marker`.
std::optional<Bytes> amount_before(std::string_view text, std::string_view marker);

// The amount that the text begins with; `bare` as above.
std::optional<Bytes> leading_amount(std::string_view text, bool bare = false);

}  // namespace orrery
