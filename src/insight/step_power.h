// SPDX-License-Identifier: Apache-2.0
//
// The time and the energy of one step under caps of a device's power, for a site that has a limit.
//
// The limit is at the plugs of the nodes, or of the facility where a PUE is given. Spares are not
// counted: a step has none. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "capacity/what_if.h"

namespace orrery {

struct Run;

struct PowerQuestion {
  Watts limit{};
  EnergyModel energy;
};

struct StepPower {
  Watts limit{};
  Outcome own;                      // under the cap that the run has
  std::vector<PowerCapped> others;  // by falling cap
  double tokens = 0;                // of a step
};

StepPower step_power(const Run& run, const Answer& answer, const PowerQuestion& asked);

// The most that a cluster draws under its cap.
Watts most_drawn(const Cluster& c, const EnergyModel& energy);

// The limit is kept under the cap that the cluster has.
bool keeps_power(const Cluster& c, const PowerQuestion& asked);

// The cap of a device that keeps the limit; nothing where none does.
std::optional<Watts> cap_that_keeps(const Cluster& c, const PowerQuestion& asked);

}  // namespace orrery
