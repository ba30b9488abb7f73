// SPDX-License-Identifier: Apache-2.0
// Any text as the events of a Kineto trace; what is read is above 0 and finite, and the parts of
// its time are no more than the whole.
#include <cmath>
#include <cstdlib>
#include <string>

#include "exchange/kineto/step_profile.h"
#include "exchange/measurements/measurements.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::fuzz::run(data, size, [](std::string_view text) {
    const std::string trace = "{\"traceEvents\": [" + std::string(text);
    const orrery::StepProfile p = orrery::read_step_profile(trace, "fuzz.json");
    const orrery::Seconds parts = p.computing + p.exposed_communication + p.exposed_copies + p.idle;
    if (!(parts <= p.span * 1.000001) || !std::isfinite(p.span.si())) std::abort();
  });
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const std::string trace = "{\"traceEvents\": [" + std::string(text);
    for (const orrery::Measurement& m : orrery::read_measurements(trace, "fuzz.json").points) {
      if (!(m.timed.time.si() > 0) || !std::isfinite(m.timed.time.si())) std::abort();
      if (!std::isfinite(orrery::amount_of(m)) || !(m.timed.spread >= 0)) std::abort();
    }
  });
}
