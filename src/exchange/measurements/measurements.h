// SPDX-License-Identifier: Apache-2.0
//
// Measured times from the files of other tools, recognised by their beginning, and as the JSON that
// is read back.
//
// - JSON: `orrery calibrate measure`'s own, {"device", "date", …, "measurements": [{…}]}; a curve
//   of a collective, {"source", "collective", "node", "ranks", "size_mib": […], "time_us": […]};
// - SimuMax's system files: JSON whose tables of efficiency are keyed by the text of a shape;
// - nccl-tests' and rccl-tests' output;
// - PyTorch profiler's trace (Kineto's JSON): products, attention, collectives, copies;
// - PyTorch profiler's table, `key_averages(group_by_input_shape=True).table()`: its products;
// - Nsight Systems' report cuda_gpu_trace as CSV: its copies;
// - CSV with a header: m,n,k,dtype,us and its kin (exchange/measurements/readers.h).
//
// Repeated timings of the same work in a trace are one measurement: their median, and their scatter
// if there are more than four. Leaves out Nsight Systems' kernels, which have names but no shapes.
// Units: SI after reading. Errors: InputError with file, line or path, found and allowed; also if
// times fall with size (calibrate/measurement.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement.h"
#include "core/json.h"

namespace orrery {

// Facts about a file that the user gives because the file lacks them.
struct MeasurementHints {
  std::optional<Collective> collective;  // of nccl-tests' output
  std::optional<Precision> precision;    // of PyTorch profiler's table
};

MeasurementSet read_measurements(std::string_view whole, const std::string& file,
                                 const MeasurementHints& hints = {});

std::vector<std::string> measurement_formats();

class Repeats {
 public:
  void add(const Measurement& work, Seconds time);

  struct Repeated {
    Measurement work;
    std::vector<double> seconds;
  };
  // In the order they were met.
  const std::vector<Repeated>& all() const { return all_; }
  std::vector<Measurement> middles() const;

 private:
  std::map<std::string, std::size_t> index_;  // by name_of_work()
  std::vector<Repeated> all_;
};

TimedWork middle_of(const std::vector<double>& seconds);

// A copy as profilers name it, "[CUDA memcpy Host-to-Device]" or "Memcpy HtoD (Pinned -> Device)":
// over the host's link, or on the device, which reads and writes each byte. Nothing of others.
std::optional<Measurement> copy_named(std::string_view name, Bytes size);

Json measurement_json(const Measurement& m);
Json heading_json(const MeasurementSet& set);  // all but the measurements
Json measurements_json(const MeasurementSet& set);

}  // namespace orrery
