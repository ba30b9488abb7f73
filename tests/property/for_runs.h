// SPDX-License-Identifier: Apache-2.0
//
// A property over random legal runs, sanitized over a quarter of them: `check(run)` or
// `check(run, dice)` of each, which a failure tells as one line.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "property/random_run.h"
#include "support/sanitized.h"

namespace orrery::testing {

template <class Check>
void for_runs(std::uint64_t seed, int runs, Check&& check) {
  Shelf shelf;
  RunMaker maker(shelf, seed);
  for (int i = 0; i < (runs + kShare - 1) / kShare; ++i) {
    const Run run = maker.legal();
    const std::string what = describe(run, maker.label());
    CAPTURE(i);
    CAPTURE(what);
    if constexpr (std::is_invocable_v<Check, const Run&>) {
      check(run);
    } else {
      check(run, maker.dice());
    }
  }
}

}  // namespace orrery::testing
