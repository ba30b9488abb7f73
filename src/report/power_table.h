// SPDX-License-Identifier: Apache-2.0
//
// The same work under caps of a device's power: time, energy, the most that is drawn, tokens a kWh.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "capacity/what_if.h"
#include "document/document.h"

namespace orrery {

struct PowerWork {
  Watts own_cap{};
  const Outcome& own;
  const std::vector<PowerCapped>& others;
  double tokens = 0;
  Watts limit{};  // 0: none
};

// Rows by falling cap, changes against that of the work. `time`: the title of its time, and its
// text.
Table power_table(const PowerWork& work, const std::string& title, std::string (*time)(Seconds));

}  // namespace orrery
