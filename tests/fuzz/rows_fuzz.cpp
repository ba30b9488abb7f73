// SPDX-License-Identifier: Apache-2.0
// Any text as a file of published runs.
#include "fuzz/harness.h"
#include "validate/rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size,
                           [](std::string_view text) { orrery::read_rows(text, "fuzz.json"); });
}
