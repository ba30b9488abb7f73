// SPDX-License-Identifier: Apache-2.0
// Any text as a compression scheme; what is read reads the same again.
#include "core/json.h"
#include "fuzz/harness.h"
#include "parallel/compression_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::Json document = orrery::parse_json(text, "fuzz.json");
    const orrery::CompressionProfile read =
        orrery::read_compression(orrery::Reader(document, "fuzz.json"), {});
    const orrery::Json again = orrery::compression_json(read);
    if (orrery::read_compression(orrery::Reader(again, "again.json"), {}).compression !=
        read.compression) {
      __builtin_trap();
    }
  });
}
