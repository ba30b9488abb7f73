// SPDX-License-Identifier: Apache-2.0
// Any text as a model, ours or Hugging Face's: what is read and written reads the same again.
#include <cstdlib>

#include "core/json.h"
#include "fuzz/harness.h"
#include "model/architecture_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::Json document = orrery::parse_json(text, "fuzz.json");
    const orrery::Json once = orrery::model_json(orrery::read_model(document, "fuzz.json"));
    const orrery::Json twice = orrery::model_json(orrery::read_model(once, "again.json"));
    if (once != twice) std::abort();
  });
}
