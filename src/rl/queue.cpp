// SPDX-License-Identifier: Apache-2.0
#include "rl/queue.h"

#include <algorithm>

namespace orrery {

std::vector<PlayedUpdate> play_updates(const std::vector<QueueTimes>& batches,
                                       std::int64_t staleness) {
  std::vector<PlayedUpdate> out;
  for (std::int64_t k = 0; k < std::ssize(batches); ++k) {
    const QueueTimes& t = batches[static_cast<std::size_t>(k)];
    const PlayedUpdate before = out.empty() ? PlayedUpdate{} : out.back();
    const std::int64_t needed = k - 1 - staleness;
    const Seconds weights = needed >= 0 ? out[static_cast<std::size_t>(needed)].updated : Seconds();
    // A generator at work pauses for every hand-over; one that waited for it has had it.
    const bool pauses = k > 0 && staleness > 0;
    const Seconds pause = pauses ? batches[static_cast<std::size_t>(k - 1)].handover : Seconds();
    PlayedUpdate u;
    u.begin = std::max(before.made, weights) + pause;
    u.made = u.begin + t.generate;
    u.learn = std::max(u.made, before.updated);
    u.updated = u.learn + t.learn + t.handover;
    out.push_back(u);
  }
  return out;
}

QueuePeriod play_queue(const QueueTimes& t, std::int64_t staleness) {
  // A max-plus recurrence over staleness + 2 times settles within a few times as many steps.
  const auto steps = static_cast<std::size_t>(4 * (staleness + 2));
  const std::vector<PlayedUpdate> all = play_updates(std::vector<QueueTimes>(steps, t), staleness);
  const PlayedUpdate& last = all.back();
  const PlayedUpdate& before = all[steps - 2];
  QueuePeriod out;
  out.period = last.updated - before.updated;
  out.learner_waits = std::max(Seconds(), last.made - before.updated);
  const Seconds pause = staleness > 0 ? t.handover : Seconds();
  out.generator_waits = last.begin - pause - before.made;
  out.first = all.front().updated;
  return out;
}

}  // namespace orrery
