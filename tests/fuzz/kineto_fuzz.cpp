// SPDX-License-Identifier: Apache-2.0
// Any text as the events of a Kineto trace; what is read is above 0 and finite.
#include <cmath>
#include <cstdlib>
#include <string>

#include "exchange/measurements/measurements.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const std::string trace = "{\"traceEvents\": [" + std::string(text);
    for (const orrery::Measurement& m : orrery::read_measurements(trace, "fuzz.json").points) {
      if (!(m.timed.time.si() > 0) || !std::isfinite(m.timed.time.si())) std::abort();
      if (!std::isfinite(orrery::amount_of(m)) || !(m.timed.spread >= 0)) std::abort();
    }
  });
}
