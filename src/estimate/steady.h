// SPDX-License-Identifier: Apache-2.0
//
// How long a step takes when one follows the other and a stage begins the next as soon as it is
// done with this one: steps are played until each takes as long as the one before.
//
// Times of stages after a step are a max-plus linear function of those before it. Its growth in the
// long run lies between the least and the most that a stage's time grew in the last step, and the
// most never rises from step to step (Baccelli et al., Synchronization and Linearity, 1992,
// chapter 3). From where each stage begins its first step, the most is at once no more than the
// longest that a stage takes from its first pass to its last. Playing ends when least and most
// meet, the most has stood still for as many steps as there are stages, or after kMostSteps: then
// the period is the most, which is never too short. Units: seconds. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

class Steady {
 public:
  // `before` is scratch memory of the caller's.
  Steady(std::span<const Seconds> begin, std::vector<Seconds>& before) : before_(before) {
    before_.assign(begin.begin(), begin.end());
  }

  // With the times of stages after one more step.
  bool settles(std::span<const Seconds> now) {
    Seconds most{};
    Seconds least = now[0] - before_[0];
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Seconds grown = now[i] - before_[i];
      least = std::min(least, grown);
      if (grown > most) most = grown, stage_ = i;
      before_[i] = now[i];
    }
    still_ = steps_ > 0 && most >= period_ * (1 - kRounding) ? still_ + 1 : 0;
    period_ = most;
    return ++steps_ == kMostSteps || still_ == now.size() || most - least <= most * kRounding;
  }

  Seconds period() const { return period_; }
  std::size_t stage() const { return stage_; }  // whose time grew most in the last step

 private:
  static constexpr double kRounding = 1e-12;
  static constexpr int kMostSteps = 64;

  std::vector<Seconds>& before_;
  Seconds period_{};
  std::size_t stage_ = 0;
  std::size_t still_ = 0;
  int steps_ = 0;
};

// Both go on when both are there.
inline void meet(Seconds& a, Seconds& b) { a = b = std::max(a, b); }

}  // namespace orrery
