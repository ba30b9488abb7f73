// SPDX-License-Identifier: Apache-2.0
//
// The output of `orrery calibrate measure` while it runs, one JSON object a line, so that a kill, a
// fault or a lost GPU costs only the current work item:
//
//   {"device": "h200-sxm-141gb", "driver": "…", "library": "…", "date": "…", "source": "…"}
//   {"begun": "launch"}
//   {"launch": "empty", "us": 2.1, "spread": 0.01}
//   {"left_out": "copy of 16384 bytes", "why": "memory of the device: out of memory"}
//   {"ended": "out of time", "clocks": "1755 to 1980 MHz, up to 690 W of 700 W"}
//
// A session that ends normally says so. If a session did not, work that was begun and is neither
// measured nor left out killed the program; it is left out from then on. If work is there twice,
// the last line counts. A last line that a kill cut off is ignored. Errors: InputError with file
// and line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "calibrate/bench.h"

namespace orrery {

struct MeasurementRows {
  MeasurementSet set;
  std::map<std::string, std::string> left_out;  // why, by name_of_work()
  std::size_t whole = 0;                        // bytes of the lines that are whole
};

MeasurementRows read_measurement_rows(std::string_view text, const std::string& file);

// Lines of it.
std::string heading_row(const MeasurementSet& set);
std::string begun_row(const Measurement& m);
std::string measured_row(const Measurement& m);
std::string left_out_row(const Measurement& m, const std::string& why);
std::string ended_row(const Bench& bench);

}  // namespace orrery
