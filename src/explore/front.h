// SPDX-License-Identifier: Apache-2.0
//
// The Pareto front of a search: candidates that no other one dominates. Among candidates equal in
// every aim the first by is_before() is kept.
//
// The front only improves: a candidate that one of its points dominates stays dominated. So a
// candidate whose bounds are dominated may be dropped at any time, and is dropped in any order of
// work.
#pragma once

#include <mutex>
#include <vector>

#include "explore/candidate.h"

namespace orrery {

class Front {
 public:
  explicit Front(std::size_t aims) : aims_(aims) {}

  // Whether some point beats everything that is no less than `bound`.
  bool beats(const AimValues& bound) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!beats(points_[i].aims, bound)) continue;
      std::swap(points_[i], points_[i / 2]);  // who beats one often beats the next
      return true;
    }
    return false;
  }

  void offer(const Candidate& c);
  const std::vector<Candidate>& points() const { return points_; }
  std::size_t aims() const { return aims_; }

 private:
  bool beats(const AimValues& a, const AimValues& b) const {
    bool better = false;
    for (std::size_t i = 0; i < aims_; ++i) {
      if (a[i] > b[i]) return false;
      better = better || a[i] < b[i];
    }
    return better;
  }

  std::size_t aims_;
  mutable std::vector<Candidate> points_;
};

// One that workers bring theirs to from time to time.
class SharedFront {
 public:
  explicit SharedFront(std::size_t aims) : all_(aims) {}

  void join(Front& mine);
  void offer(const std::vector<Candidate>& points);
  std::vector<Candidate> points() const;
  std::size_t aims() const { return all_.aims(); }

 private:
  mutable std::mutex mutex_;
  Front all_;
};

}  // namespace orrery
