// SPDX-License-Identifier: Apache-2.0
// Any text as measurements, in every format; what is read is above 0 and finite.
#include <cmath>
#include <cstdlib>

#include "exchange/measurements/measurements.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::MeasurementHints hints;
    hints.precision = orrery::Precision::bf16;
    for (const orrery::Measurement& m : orrery::read_measurements(text, "fuzz.txt", hints).points) {
      if (!(m.timed.time.si() > 0) || !std::isfinite(m.timed.time.si())) std::abort();
      if (!std::isfinite(orrery::amount_of(m)) || orrery::curve_of(m).empty()) std::abort();
    }
  });
}
