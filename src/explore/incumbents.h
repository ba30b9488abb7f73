// SPDX-License-Identifier: Apache-2.0
//
// The best found so far, shared by the workers of a search; bounds are compared with it.
// Every value only falls and ends at its final value, so a candidate dropped early would also be
// dropped late.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "explore/families.h"

namespace orrery {

// Within a factor of the best; of an objective below zero as far the other way.
inline bool is_tie(double objective, double best, double factor) {
  return objective <= best + std::abs(best) * (factor - 1);
}

class Incumbents {
 public:
  Incumbents(std::size_t families, double tie) : tie_(tie), families_(families) {}

  void offer_best(double objective) { lower(best_, objective); }
  // The slowest of `top` candidates one worker has.
  void offer_last_of_top(double objective) { lower(last_of_top_, objective); }
  void offer_family(std::size_t family, double objective) {
    lower(families_[family].value, objective);
  }

  // All of them, for others that search the same space.
  std::vector<double> values() const {
    std::vector<double> all = {best_.load(std::memory_order_relaxed),
                               last_of_top_.load(std::memory_order_relaxed)};
    for (const Cell& c : families_) all.push_back(c.value.load(std::memory_order_relaxed));
    return all;
  }

  // Takes the values of others; those of another space are ignored.
  void offer(const std::vector<double>& all) {
    if (all.size() != families_.size() + 2) return;
    offer_best(all[0]);
    offer_last_of_top(all[1]);
    for (std::size_t f = 0; f < families_.size(); ++f) offer_family(f, all[f + 2]);
  }

  // `bound`: the objective is no less.
  bool lets_in(double bound) const {
    return bound <= last_of_top_.load(std::memory_order_relaxed) || may_tie(bound);
  }

  bool may_tie(double objective) const {
    return is_tie(objective, best_.load(std::memory_order_relaxed), tie_);
  }

  bool lets_in(double bound, std::size_t family) const {
    return bound <= families_[family].value.load(std::memory_order_relaxed);
  }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::infinity();

  struct Cell {
    std::atomic<double> value{kNothing};
  };

  static void lower(std::atomic<double>& to, double value) {
    double now = to.load(std::memory_order_relaxed);
    while (value < now && !to.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
    }
  }

  double tie_;
  std::atomic<double> best_{kNothing};
  std::atomic<double> last_of_top_{kNothing};
  std::vector<Cell> families_;
};

}  // namespace orrery
