// SPDX-License-Identifier: Apache-2.0
// Any text as JSON; what is read is printed and read again to the same document.
#include <cstdlib>
#include <string>

#include "core/json.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::Json document = orrery::parse_json(text, "fuzz.json");
    const std::string printed = document.dump();
    if (orrery::parse_json(printed, "again.json") != document) std::abort();
  });
}
