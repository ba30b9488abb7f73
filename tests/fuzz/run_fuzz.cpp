// SPDX-License-Identifier: Apache-2.0
// Any text as a run file, all the way to the JSON of its answer.
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::fuzz::answer_to(orrery::parse_json(text, "fuzz.json"));
  });
}
