// SPDX-License-Identifier: Apache-2.0
//
// A call as one line of JSON, and its answer as another: for scripts that keep one process.
//
//   {"command": "estimate", "request": {"run": "gpt3-175b-1024-a100"}, "id": 1}
//   {"id": 1, "code": 0, "answer": {…}}
//
// A line that is no call is answered with code 2 and what is wrong.
#pragma once

#include <string>
#include <string_view>

#include "engine/command_engine.h"

namespace orrery {

// Without a line break.
std::string answer_line(const CommandEngine& engine, std::string_view line);

}  // namespace orrery
