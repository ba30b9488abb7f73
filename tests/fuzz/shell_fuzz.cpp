// SPDX-License-Identifier: Apache-2.0
// Any text as a script: it is read and evaluated, or refused in one line.
#include "exchange/shell/shell.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size,
                           [](std::string_view text) { orrery::run_shell(text, "fuzz.sh"); });
}
