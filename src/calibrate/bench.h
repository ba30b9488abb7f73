// SPDX-License-Identifier: Apache-2.0
//
// How work is timed on a device: what to measure, how often, when to stop, and what happens to what
// cannot be measured.
//
// A MeasuringDevice runs one prepared piece of work some times in a row by its own clock. Each is
// warmed up until two timings agree; then as many runs as a clock resolves make one sample, and
// samples are taken until the uncertainty of their median is below kEnough, or their number or the
// budget says stop. The result is the median, its spread the scatter of samples (1.4826 × the
// median deviation, relative). Work is taken in an order that covers every kind early, so that a
// small budget measures a little of each.
//
// One piece that fails is left out by name and the rest goes on; kMostFailures of one curve, and
// the rest of that curve is left out as well. A lost device ends it all, and so does the wish to
// stop; what was measured stays. What disturbs a measurement adds time: of two whose time falls
// with size beyond the noise, the smaller is left out. Leaves out clocks: the device tells, nothing
// corrects. Units: SI. Errors: those of device.facts() and of the watcher pass, others are kept as
// a line of `left_out`.
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

// 0 where a device cannot tell.
struct ClockReading {
  double megahertz = 0;
  double watts = 0;
  double limit = 0;  // watts
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  virtual DeviceFacts facts() = 0;
  // Allocates, and fills with random data. "" or why this device cannot run it.
  virtual std::string prepare(const Measurement& work) = 0;
  // Of `times` runs of what was prepared, one after another, by the device's clock.
  virtual Seconds run(std::int64_t times) = 0;
  virtual Seconds now() = 0;  // by the wall
  virtual ClockReading clocks() = 0;
  // Asked after an error: whether nothing will run any more.
  virtual bool is_lost() = 0;
};

// Who looks on: each may be empty.
struct BenchWatch {
  std::function<bool()> stop;  // asked between samples
  std::function<void(const Measurement&)> begun;
  std::function<void(const Measurement&)> measured;
  std::function<void(const Measurement&, const std::string& why)> left_out;
};

struct BenchOptions {
  Seconds budget{120};
  BenchWatch watch;
};

enum class BenchEnd : std::uint8_t { done, out_of_time, stopped, lost };

struct Bench {
  MeasurementSet set;
  BenchEnd end = BenchEnd::done;
};

inline constexpr double kEnough = 0.005;
inline constexpr int kMostFailures = 3;

// Everything there is to measure on such a device, smallest first within a kind.
std::vector<Measurement> designed_work(const DeviceFacts& facts);

// Positions of `work`, one of each curve in turn, each curve's spread over its sizes.
std::vector<std::size_t> covering_order(const std::vector<Measurement>& work);

// Every tenth of each curve, of a short one its middle: what a check measures again.
std::vector<Measurement> tenth_of(const std::vector<Measurement>& work);

Bench measure(const std::vector<Measurement>& work, MeasuringDevice& device,
              const BenchOptions& options);

}  // namespace orrery
