// SPDX-License-Identifier: Apache-2.0
//
// Advice on recovery: what spare nodes are worth, and which policy is the better one.
//
// Spares cost their rent (or their share of a purchase) from the first day to the last. Without
// any, training waits for each repair. With W₀ and W₁ the wall clock without and with them, each
// second of training saves W₀/W₁ − 1 seconds of the whole job, and S spares of N nodes cost S/N of
// it for W₁. They have paid for themselves after
//     W₁·(S/N)/(W₀/W₁ − 1).
// A policy is better where it costs less, or, where nothing has a price, where it ends sooner.
// Leaves out what a policy costs to build and to run. Errors: none.
#pragma once

#include <optional>

#include "capacity/capacity.h"

namespace orrery {

struct SparesWorth {
  std::int64_t spares = 0;           // systems
  Seconds saved{};                   // of the wall clock, against none
  bool ends_without = true;          // else the job never ends without them
  std::optional<Seconds> paid_back;  // after so much of the training; nothing: never
};

// Nothing where an option holds no spares.
std::optional<SparesWorth> worth_of_spares(const OptionAnswer& o);

struct BetterPolicy {
  const PolicyAnswer* policy = nullptr;
  Seconds sooner{};              // than under the first; negative: later
  std::optional<Money> cheaper;  // than under the first
};

// The best of the policies of an option; nothing where that is the first.
std::optional<BetterPolicy> better_policy(const OptionAnswer& o);

}  // namespace orrery
