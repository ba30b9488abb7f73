// SPDX-License-Identifier: Apache-2.0
// Any bytes as a gzip file, and any text packed and unpacked again.
#include <cstdlib>
#include <string>

#include "fuzz/harness.h"
#include "io/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const std::string given(text);
    if (orrery::gunzip(orrery::gzip(given), "fuzz.gz") != given) std::abort();
    orrery::gunzip(given, "fuzz.gz");
  });
}
