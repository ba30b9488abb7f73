// SPDX-License-Identifier: Apache-2.0
//
// A run file that trains by reinforcement learning: the question alone. Errors: InputError.
#pragma once

#include <string>

#include "core/json_fwd.h"

namespace orrery {

class Reader;
struct RunRequest;

bool has_rl(const Json& run);

// A step of reinforcement learning is of no use to those that know the learner alone.
void refuse_rl(const Json& run, const std::string& file);

// An object that only a step of reinforcement learning reads, in a run without one.
void refuse_generation_alone(const RunRequest& request, const Reader& root);

// `training.rl`, where it has to stand.
[[noreturn]] void ask_for_rl(const std::string& file);

}  // namespace orrery
