// SPDX-License-Identifier: Apache-2.0
// Any text as the rows of a measurement; what is read is above 0, finite, and has a name.
#include <cmath>
#include <cstdlib>

#include "exchange/measurements/readers.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [size](std::string_view text) {
    const orrery::MeasurementRows rows = orrery::read_measurement_rows(text, "fuzz.rows");
    if (rows.whole > size) std::abort();
    for (const orrery::Measurement& m : rows.set.points) {
      if (!(m.timed.time.si() > 0) || !std::isfinite(m.timed.time.si())) std::abort();
      if (orrery::name_of_work(m).empty()) std::abort();
    }
  });
}
