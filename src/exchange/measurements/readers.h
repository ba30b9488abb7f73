// SPDX-License-Identifier: Apache-2.0
//
// The readers of exchange/measurements/measurements.cpp, the named fields of one measurement (a row
// of CSV by its header, or an object of JSON), and the texts beside measurements (device, date, …)
// by their names in files.
//
// | work | fields |
// | --- | --- |
// | product | m, n, k, dtype; groups, weight_gradient (of a grouped one), layout (TN, NN, NT) |
// | attention | kernel, pass, batch, heads, sequence, head_dim, causal, dtype |
// | memory-bound kernel | kernel, bytes (read and written) |
// | collective | collective, ranks, bytes (S of network/collective.h); nodes, algorithm |
// | copy from or to the host | copy = "host" or "to host", bytes |
// | launch of an empty kernel | launch = "empty" |
//
// and each the time: `us`, or for products and attention `tflops` (for causal attention by the
// FLOPs of the causal half), for a collective `busbw` (network/bus_factor.h) in GB/s; `spread`,
// relative, is optional. `nodes` hold as many of the ranks each.
//
// `orrery calibrate measure` writes one JSON object a line while it runs, so that a kill, a fault
// or a lost GPU costs only the current work item:
//
//   {"device": "h200-sxm-141gb", "driver": "…", "library": "…", "date": "…", "source": "…"}
//   {"begun": "launch"}
//   {"launch": "empty", "us": 2.1, "spread": 0.01}
//   {"left_out": "copy of 16384 bytes", "why": "memory of the device: out of memory"}
//   {"ended": "out of time", "clocks": "1755 to 1980 MHz, up to 690 W of 700 W"}
//
// A session that ends normally says so. If a session did not, work that was begun and is neither
// measured nor left out killed the program; it is left out from then on. If work is there twice,
// the last line counts. A last line that a kill cut off is ignored. Units: as the fields say; SI
// after reading. Errors: InputError with file and line.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "calibrate/bench.h"
#include "calibrate/measurement.h"
#include "core/json_reader.h"
#include "exchange/measurements/measurements.h"

namespace orrery {

struct HeadingText {
  std::string_view name;
  std::string MeasurementSet::*field;
};

inline constexpr std::array kHeadingTexts = {
    HeadingText{"device", &MeasurementSet::device},
    HeadingText{"node", &MeasurementSet::node},
    HeadingText{"driver", &MeasurementSet::driver},
    HeadingText{"library", &MeasurementSet::library},
    HeadingText{"clocks", &MeasurementSet::clocks},
    HeadingText{"date", &MeasurementSet::date},
    HeadingText{"source", &MeasurementSet::source},
    HeadingText{"role", &MeasurementSet::role},
};

Measurement read_measured(Reader r);

// The collective that `collective` names, and its `ranks`.
MeasuredCollective read_collective(Reader& r);

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

bool is_json(std::string_view text);
MeasurementSet read_json_measurements(std::string_view text, const std::string& file,
                                      const MeasurementHints& hints);

// Facts beside the measurements: device, driver, date, …
void read_measurement_heading(Reader& r, MeasurementSet& set);

bool is_simumax(std::string_view text);
MeasurementSet read_simumax(std::string_view text, const std::string& file,
                            const MeasurementHints& hints);

bool is_nccl_tests(std::string_view text);
MeasurementSet read_nccl_tests(std::string_view text, const std::string& file,
                               const MeasurementHints& hints);

bool is_torch_profile(std::string_view text);
MeasurementSet read_torch_profile(std::string_view text, const std::string& file,
                                  const MeasurementHints& hints);

bool is_kineto(std::string_view text);
MeasurementSet read_kineto(std::string_view text, const std::string& file,
                           const MeasurementHints& hints);

bool is_nsys(std::string_view text);
MeasurementSet read_nsys(std::string_view text, const std::string& file,
                         const MeasurementHints& hints);

bool is_csv(std::string_view text);
MeasurementSet read_csv_measurements(std::string_view text, const std::string& file,
                                     const MeasurementHints& hints);

}  // namespace orrery
