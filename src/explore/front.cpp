// SPDX-License-Identifier: Apache-2.0
#include "explore/front.h"

#include <algorithm>

namespace orrery {

void Front::offer(const Candidate& c) {
  for (Candidate& p : points_) {
    if (beats(p.aims, c.aims)) return;
    if (!std::equal(p.aims.begin(), p.aims.begin() + static_cast<std::ptrdiff_t>(aims_),
                    c.aims.begin())) {
      continue;
    }
    if (is_before(c, p)) p = c;
    return;
  }
  points_.erase(std::remove_if(points_.begin(), points_.end(),
                               [&](const Candidate& p) { return beats(c.aims, p.aims); }),
                points_.end());
  points_.push_back(c);
}

void SharedFront::offer(const std::vector<Candidate>& points) {
  const std::lock_guard lock(mutex_);
  for (const Candidate& c : points) all_.offer(c);
}

std::vector<Candidate> SharedFront::points() const {
  const std::lock_guard lock(mutex_);
  return all_.points();
}

void SharedFront::join(Front& mine) {
  const std::lock_guard lock(mutex_);
  for (const Candidate& c : mine.points()) all_.offer(c);
  mine = all_;
}

}  // namespace orrery
