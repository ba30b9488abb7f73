// SPDX-License-Identifier: Apache-2.0
// Any text as the order of a pipeline.
#include "core/json.h"
#include "fuzz/harness.h"
#include "parallel/own_order.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::read_own_order(orrery::parse_json(text, "fuzz.json"), "fuzz.json");
  });
}
