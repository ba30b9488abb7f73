// SPDX-License-Identifier: Apache-2.0
#include "io/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "document/words.h"

namespace orrery {
namespace {

constexpr double kSecondsBetween = 0.2;
// Before this share is done, or so many seconds have passed, a rate says nothing of what is left.
constexpr double kLeastShare = 0.01;
constexpr double kLeastSeconds = 1;
constexpr double kMostSecondsLeft = 30 * 86400.0;

// ", 40 s left"; "" where it is not known yet.
std::string left_words(double share, double elapsed, double left) {
  const bool known = share >= kLeastShare && elapsed >= kLeastSeconds && left <= kMostSecondsLeft;
  return known ? ", " + seconds_text(Seconds(left)) + " left" : "";
}

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
  const double here = static_cast<double>(std::max<std::int64_t>(0, done - before_));
  const double all = static_cast<double>(std::max<std::int64_t>(1, total_ - before_));
  const std::string left =
      here > 0 ? left_words(here / all, elapsed, elapsed * (all - here) / here) : std::string();
  const double share =
      static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(1, total_));
  std::fprintf(stderr, "\r\033[K%s%s", percent(share, 0).c_str(), left.c_str());
}

}  // namespace orrery
