// SPDX-License-Identifier: Apache-2.0
//
// Progress of a long job: one line on stderr that is overwritten, if stderr is a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace orrery {

class Progress {
 public:
  // `done` of them were finished before.
  Progress(std::int64_t total, std::int64_t done, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t total_;
  std::int64_t before_;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace orrery
