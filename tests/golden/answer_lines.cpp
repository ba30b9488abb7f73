// SPDX-License-Identifier: Apache-2.0
//
// `orrery call` without a system below it: what scripts/check-wasm runs under node.
#include <iostream>
#include <string>

#include "engine/builtin_configs.h"
#include "engine/call_line.h"
#include "engine/kept_configs.h"

int main() {
  const orrery::CommandEngine engine(kept(orrery::builtin_configs(), orrery::KeptPaths::no));
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer_line(engine, line) << '\n';
  }
  return 0;
}
