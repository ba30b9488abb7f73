// SPDX-License-Identifier: Apache-2.0
//
// `orrery call` without a system below it: what scripts/check-wasm runs under node.
#include <iostream>
#include <string>

#include "engine/command_engine.h"
#include "engine/config_source.h"

int main() {
  const orrery::CommandEngine engine(kept(orrery::builtin_configs(), orrery::KeptPaths::no));
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer_line(engine, line) << '\n';
  }
  return 0;
}
