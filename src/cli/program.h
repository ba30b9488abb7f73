// SPDX-License-Identifier: Apache-2.0
//
// The program: its commands, the options all of them have, and what an error becomes.
#pragma once

#include <span>

#include "engine/answer.h"

namespace orrery {

ExitCode run_program(std::span<char* const> arguments);

}  // namespace orrery
