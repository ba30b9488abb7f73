// SPDX-License-Identifier: Apache-2.0
//
// Collectives by the names that other tools give them. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "network/collective.h"

namespace orrery {

// In small letters, without separators and without the caller that DeepSpeed's debug mode adds.
std::string plain_name(std::string_view operation);

// "all_gather_into_tensor", "allreduce", "isend", …; nothing for operations that receive, wait or
// have no prediction (recv, barrier, gather, scatter, reduce).
std::optional<Collective> collective_named(std::string_view operation);

}  // namespace orrery
