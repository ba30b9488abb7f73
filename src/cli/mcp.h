// SPDX-License-Identifier: Apache-2.0
//
// The server of the Model Context Protocol over any two streams of lines.
#pragma once

#include <functional>
#include <string>

#include "engine/config_source.h"
#include "engine/hooks.h"

namespace orrery {

struct McpStreams {
  std::function<bool(std::string& line)> next_line;    // false at the end
  std::function<void(const std::string& line)> write;  // with its line break, by any thread
};

// To the end of the lines. Errors: what `write` throws as InputError, once.
void serve_mcp(McpStreams streams, ConfigSource configs, EngineHooks hooks);

}  // namespace orrery
