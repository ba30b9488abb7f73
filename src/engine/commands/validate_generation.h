// SPDX-License-Identifier: Apache-2.0
//
// The answers to `validate` of published decode points and steps of reinforcement learning.
// Errors: InputError.
#pragma once

#include <optional>

#include "engine/answer.h"
#include "engine/request.h"

namespace orrery {

struct ConfigLookup;

// Nothing where the file holds neither.
std::optional<CommandAnswer> validate_generation(const NamedText& file, const OutputForm& output,
                                                 const ConfigLookup& lookup);

}  // namespace orrery
