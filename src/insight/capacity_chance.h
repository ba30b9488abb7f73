// SPDX-License-Identifier: Apache-2.0
//
// The slack before an option fails what is required, and caps of a GPU's power that help.
//
// The chance itself: capacity/chance.h. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "capacity/capacity.h"
#include "capacity/chance.h"

namespace orrery {

// By how much a step may be longer than predicted, 0.5 for half as long again, before a
// requirement is missed; empty without one that a step moves.
std::optional<double> slack_of_step(const std::vector<Requirement>& requirements,
                                    const OptionAnswer& o);

// The highest cap of a GPU's power under which an option that misses a requirement meets all;
// nothing where none does, or where a requirement must be met surely, whose ranges no cap has.
const PowerCapped* cap_that_meets(const std::vector<Requirement>& requirements,
                                  const OptionAnswer& o);

// The lowest cap below the option's own that costs at most 5 % of the time (a judgement), takes
// less energy and keeps `limit`; nothing where none does.
const PowerCapped* cap_that_saves(Watts limit, const OptionAnswer& o);

}  // namespace orrery
