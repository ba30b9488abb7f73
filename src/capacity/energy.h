// SPDX-License-Identifier: Apache-2.0
//
// Power and energy of a run: devices by load, the nodes, the building.
//
// A device draws a share of its rated power that depends on its activity: compute, memory passes
// (optimizer, offload), waiting (exposed communication, bubbles, stalls), idle (no job). A share of
// what the node's rating is above its devices' is drawn all the time: a rating has room for fans,
// cards and power supplies at their most. PUE multiplies all. All stages are taken as the
// busiest one, which slightly underestimates their waiting. Under a power cap these shares fall
// with the clock that the device's law leaves (hardware/power.h), the same that makes the step
// longer, and no load draws more than the cap; the rest of the node draws what it did. Leaves out:
// temperature, the storage and the network outside the nodes (in the PUE of some sites). If a
// node's rating is not known, only devices count, and the answer says so.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "capacity/goodput.h"
#include "capacity/ranged.h"
#include "estimate/answer.h"
#include "hardware/cluster.h"

namespace orrery {

struct Kilograms {
  double kg = 0;
};

struct CarbonIntensity {
  double kg_per_joule = 0;
};

constexpr Kilograms operator*(CarbonIntensity c, Joules e) { return {c.kg_per_joule * e.si()}; }

// Shares of a device's rated power, and of the node's beside its devices.
struct DeviceLoad {
  Ranged<double> compute;
  Ranged<double> memory;
  Ranged<double> waiting;
  Ranged<double> idle;
  Ranged<double> rest = exactly(1.0);  // of what the node's rating is above its devices'
};

// By the hour of a day, from midnight.
using HourlyCarbon = std::array<CarbonIntensity, 24>;

// Emitted by an even power from the beginning of an hour on: whole days at the mean of the day, the
// rest hour by hour.
Kilograms carbon_from(const HourlyCarbon& hours, Watts power, Seconds time, std::size_t hour);

struct EnergyModel {
  DeviceLoad load;
  std::optional<Ranged<double>> pue;
  std::optional<Ranged<CarbonIntensity>> carbon;
  std::optional<HourlyCarbon> by_hour;  // in its place
};

// The power of the facility over that of its nodes; 1 where nobody gives it.
inline double pue_of(const EnergyModel& m) { return m.pue ? m.pue->value : 1; }

// By the hour of the day at which a training begins.
struct CarbonByStart {
  Kilograms least;
  std::size_t at = 0;  // hour of the least
  Kilograms most;
};

// Shares of a step's time by activity; they add up to 1.
struct StepLoad {
  double compute = 1;
  double memory = 0;
  double waiting = 0;
};

StepLoad step_load(const Answer& a);

// Work one after another, and the mean of its loads over its time.
struct TimedLoad {
  Seconds time{};
  StepLoad load;
};
StepLoad mean_load(const std::vector<TimedLoad>& parts);

struct EnergyUse {
  Joules devices{};   // of those that train, without the node around them
  Joules nodes{};     // at the plugs of the nodes
  Joules facility{};  // × PUE, if given
  Watts peak{};       // of the facility, all nodes at their rating
  Watts average{};
  // From all devices computing to all waiting, as they do in one step of synchronous training.
  Watts swing{};
  bool node_power_known = false;
  bool pue_known = false;
  std::optional<Kilograms> carbon;  // by the hour: from midnight
  std::optional<CarbonByStart> by_start;
};

// `spares` is the number of idle systems beside the run's.
EnergyUse energy_use(const Cluster& c, std::int64_t spares, const EnergyModel& m,
                     const StepLoad& step, const Goodput& g, Seconds wall);

}  // namespace orrery
