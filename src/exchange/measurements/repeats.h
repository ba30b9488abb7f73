// SPDX-License-Identifier: Apache-2.0
//
// Repeated timings of the same work in a trace as one measurement: their median, and their scatter
// if there are more than four. Errors: none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement.h"

namespace orrery::detail {

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

}  // namespace orrery::detail
