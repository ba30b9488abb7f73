// SPDX-License-Identifier: Apache-2.0
//
// Whether a row agrees with itself: the step time that each of its published quantities comes to.
//
// Seconds and tokens a second are two names of one thing and must agree within 1 %. FLOP/s, MFU and
// HFU go through a formula that sources count differently (published.h): such a time is held
// against the seconds only after the median ratio of its source and quantity is divided out, and
// must then agree within 10 %. Leaves out rows that publish one quantity: nothing contradicts them.
// Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/quantity.h"
#include "validate/published.h"

namespace orrery {

struct JudgedRow;

struct Contradiction {
  std::string id;
  Basis one = Basis::none;
  Basis other = Basis::none;
  Seconds time_of_one{};
  Seconds time_of_other{};
  double median = 1;  // other over one, as its source has it
};

struct ConsistencyReport {
  std::int64_t rows = 0;      // estimated
  std::int64_t compared = 0;  // with two quantities or more
  std::vector<Contradiction> contradictions;
  std::vector<std::string> repeats;  // rows that measure what another row has: "b is a again"
};

ConsistencyReport check_rows(const std::vector<JudgedRow>& rows);

}  // namespace orrery
