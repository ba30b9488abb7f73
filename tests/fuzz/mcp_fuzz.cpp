// SPDX-License-Identifier: Apache-2.0
//
// Any lines at all to the server of the Model Context Protocol: each answer is one line of JSON.
#include <cstdlib>
#include <string>

#include "cli/mcp.h"
#include "core/json_in.h"
#include "fuzz/harness.h"

namespace orrery {
namespace {

const ConfigSource& configs() {
  static const ConfigSource kConfigs = kept(builtin_configs(), KeptPaths::no);
  return kConfigs;
}

// A search or a simulation is stopped at its first report.
EngineHooks short_hooks() {
  EngineHooks hooks;
  hooks.stopped = [] { return true; };
  return hooks;
}

}  // namespace
}  // namespace orrery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const auto next = [&text](std::string& line) {
      if (text.empty()) return false;
      const std::size_t end = text.find('\n');
      line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      return true;
    };
    const auto write = [](const std::string& line) {
      if (line.find('\n') + 1 != line.size() || !orrery::json_in(line)) std::abort();
    };
    orrery::serve_mcp({next, write}, orrery::configs(), orrery::short_hooks());
  });
}
