// SPDX-License-Identifier: Apache-2.0
// Any bytes as TensorBoard's events. Checksums stop most of them: the last frame is also read as
// one event whose checksums are right.
#include <cmath>
#include <cstdlib>

#include "exchange/logs/event_file.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view text) {
    for (const orrery::LoggedScalar& s : orrery::read_event_file(text, "fuzz"))
      if (!std::isfinite(s.value)) std::abort();
  };
  orrery::fuzz::run(data, size, read);
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    for (const orrery::LoggedScalar& s : orrery::read_event(text, "fuzz"))
      if (!std::isfinite(s.value)) std::abort();
  });
}
