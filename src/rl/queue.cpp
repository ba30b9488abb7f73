// SPDX-License-Identifier: Apache-2.0
#include "rl/queue.h"

#include <algorithm>
#include <vector>

namespace orrery {

QueuePeriod play_queue(const QueueTimes& t, std::int64_t staleness) {
  // A max-plus recurrence over staleness + 2 times settles within a few times as many steps.
  const std::int64_t steps = 4 * (staleness + 2);
  std::vector<Seconds> made;
  std::vector<Seconds> updated;
  QueuePeriod out;
  for (std::int64_t k = 0; k < steps; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Seconds idle_since = k > 0 ? made[at - 1] : Seconds();
    const std::int64_t needed = k - 1 - staleness;
    const Seconds weights = needed >= 0 ? updated[static_cast<std::size_t>(needed)] : Seconds();
    // A generator at work pauses for every hand-over; one that waited for it has had it.
    const Seconds pause = k > 0 && staleness > 0 ? t.handover : Seconds();
    const Seconds begin = std::max(idle_since, weights);
    made.push_back(begin + pause + t.generate);
    const Seconds free = k > 0 ? updated[at - 1] : Seconds();
    updated.push_back(std::max(made[at], free) + t.learn + t.handover);
    out.learner_waits = std::max(Seconds(), made[at] - free);
    out.generator_waits = begin - idle_since;
    out.period = k > 0 ? updated[at] - updated[at - 1] : updated[at];
  }
  out.first = updated.front();
  return out;
}

}  // namespace orrery
