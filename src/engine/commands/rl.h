// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate` and `memory` of a run with training.rl. Errors: InputError.
#pragma once

#include <optional>

#include "engine/answer.h"
#include "engine/request.h"

namespace orrery {

struct RunSource;

// Nothing where the run has no training.rl.
std::optional<CommandAnswer> rl_estimate(const RunSource& source, const OutputForm& output);
std::optional<CommandAnswer> rl_memory(const RunSource& source, const OutputForm& output);

}  // namespace orrery
