// SPDX-License-Identifier: Apache-2.0
//
// How work is timed on a device: what to measure, how often, and when to stop.
//
// A MeasuringDevice runs one prepared piece of work some times in a row by its own clock. Each is
// warmed up until two timings agree; then as many runs as a clock resolves make one sample, and
// samples are taken until the uncertainty of their median is below kEnough, or their number or the
// budget says stop. The result is the median, its spread the scatter of samples (1.4826 × the
// median deviation, relative). Work is taken in an order that covers every kind early, so that a
// small budget measures a little of each. Leaves out clocks: the device tells, nothing corrects.
// Units: SI. Errors: the device's own exceptions pass.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measurement.h"

namespace orrery {

struct DeviceFacts {
  std::string name;     // as the driver has it: "NVIDIA H200"
  std::string driver;   // with its runtime
  std::string library;  // of the products
  std::vector<Precision> products;
  Bytes memory{};          // free
  std::int64_t count = 1;  // devices of this machine
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  virtual DeviceFacts facts() = 0;
  // Allocates, and fills with random data. "" or why this device cannot run it.
  virtual std::string prepare(const Measurement& work) = 0;
  // Of `times` runs of what was prepared, one after another, by the device's clock.
  virtual Seconds run(std::int64_t times) = 0;
  virtual Seconds now() = 0;         // by the wall
  virtual std::string clocks() = 0;  // "1980 MHz, 640 W", or "" where it cannot tell
};

struct BenchOptions {
  Seconds budget{120};
};

inline constexpr double kEnough = 0.005;

// Everything there is to measure on such a device, smallest first within a kind.
std::vector<Measurement> designed_work(const DeviceFacts& facts);

// Every tenth of each curve, of a short one its middle: what a check measures again.
std::vector<Measurement> tenth_of(const std::vector<Measurement>& work);

MeasurementSet measure(const std::vector<Measurement>& work, MeasuringDevice& device,
                       const BenchOptions& options);

}  // namespace orrery
