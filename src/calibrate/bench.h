// SPDX-License-Identifier: Apache-2.0
//
// Timing of work on a device: what to measure, how often, when to stop, and how to treat failures.
//
// A MeasuringDevice runs one prepared work item several times in a row, timed by its own clock.
// Each item is warmed up until two timings agree. Then enough runs for the clock's resolution make
// one sample, and samples are taken until the uncertainty of their median is below kEnough, or
// until their number or the budget ends. The result is the median; its spread is the scatter of the
// samples (1.4826 × the median deviation, relative). The order of work covers every kind early, so
// that a small budget measures a little of each.
//
// A work item that fails is named and left out, and the rest goes on; after kMostFailures of one
// curve the rest of that curve is left out, too. A lost device or a request to stop ends the
// measurement; finished results stay. Disturbances only add time: if a time falls with size beyond
// the noise, the point of the smaller size is left out. Clocks are reported, not corrected for.
// Units: SI. Errors: those of device.facts() and of the watcher pass through; others become a line
// of `left_out`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measurement.h"

namespace orrery {

struct DeviceFacts {
  std::string name;     // from the driver: "NVIDIA H200"
  std::string driver;   // and the runtime
  std::string library;  // used for products
  std::vector<Precision> products;
  Bytes memory{};          // free
  std::int64_t count = 1;  // devices of this machine
};

// 0 if a device cannot tell.
struct ClockReading {
  PerSecond clock{};
  Watts power{};
  Watts limit{};
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  virtual DeviceFacts facts() = 0;
  // Allocates, and fills with random data. Returns "" or the reason why this device cannot run it.
  virtual std::string prepare(const Measurement& work) = 0;
  // Time of `times` runs of the prepared work, one after another, by the device's clock.
  virtual Seconds run(std::int64_t times) = 0;
  virtual Seconds now() = 0;  // wall clock
  virtual ClockReading clocks() = 0;
  // Called after an error: whether the device is lost.
  virtual bool is_lost() = 0;
};

// Callbacks; each may be empty.
struct BenchWatch {
  std::function<bool()> stop;  // called between samples
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

// All work to measure on such a device, smallest first within a kind.
std::vector<Measurement> designed_work(const DeviceFacts& facts);

// Positions of `work`: one of each curve in turn, each curve in an order spread over its sizes.
std::vector<std::size_t> covering_order(const std::vector<Measurement>& work);

// The work that a check measures again: every tenth of each curve, the middle of a short one.
std::vector<Measurement> tenth_of(const std::vector<Measurement>& work);

Bench measure(const std::vector<Measurement>& work, MeasuringDevice& device,
              const BenchOptions& options);

}  // namespace orrery
