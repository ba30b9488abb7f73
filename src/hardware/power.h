// SPDX-License-Identifier: Apache-2.0
//
// The most that systems draw, and the cap of their devices that keeps a limit.
//
// A system draws what its devices may (their cap, or their rated power) and, all the time, what the
// rating of its node is above that of its devices. Leaves out PUE: a limit is at the plugs of the
// nodes. Units: SI. Errors: none.
#pragma once

#include <optional>

#include "hardware/cluster.h"

namespace orrery {

// True where the rating of the node says what is drawn beside its devices.
bool node_power_is_known(const Cluster& c);

// Drawn beside its devices by a system; 0: not known.
Watts power_around_devices(const Cluster& c);

Watts most_power(const Cluster& c, double systems);

// The cap of a device, in whole watts, under which these systems draw no more than `limit`: at most
// the cap that it has. Nothing where the device has no clock law (hardware/clock_law.h), or none
// that holds so low.
std::optional<Watts> cap_within(const Cluster& c, double systems, Watts limit);

// P(f) of the clock law at `clock` = f/f_max (hardware/clock_law.h).
Watts drawn_at(const ClockLaw& c, double clock, double load);

// The power that a device draws under `load` with the cluster's cap, over that at its rated power,
// while the mean load of its work is `mean`: both clocks are the law's, which also give the time.
// 1 for a device without a law.
double power_left_by_cap(const Cluster& c, double mean, double load);

}  // namespace orrery
