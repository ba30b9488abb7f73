// SPDX-License-Identifier: Apache-2.0
#include "io/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace orrery {
namespace {

constexpr double kSecondsBetween = 0.2;

}  // namespace

Progress::Progress(std::int64_t total, std::int64_t done, bool quiet)
    : total_(total), before_(done), shown_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::int64_t done) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || std::chrono::duration<double>(now - last_).count() < kSecondsBetween) return;
  last_ = now;
  const double elapsed = std::max(1e-3, std::chrono::duration<double>(now - start_).count());
  const double rate = static_cast<double>(done - before_) / elapsed;
  std::fprintf(stderr, "\r\033[K%lld of %lld, %.0f/s, %.0f s left", static_cast<long long>(done),
               static_cast<long long>(total_), rate,
               static_cast<double>(total_ - done) / std::max(rate, 1e-9));
}

}  // namespace orrery
