// SPDX-License-Identifier: Apache-2.0
#include "capacity/energy.h"

#include <algorithm>
#include <cmath>

#include "hardware/power.h"

namespace orrery {
namespace {

// Power of a device by what it does.
struct LoadPower {
  Watts compute;
  Watts memory;
  Watts waiting;
  Watts idle;
};

// The shares of the rated power are measured without a cap. Under one the device lowers its clock
// for all that it does in a step, by the law that gives the step's time; compute counts as
// products.
LoadPower load_power(const Cluster& c, const DeviceLoad& l, const StepLoad& s) {
  const ClockLaw& law = c.device.clock;
  const double mean = is_known(law) ? mean_load(law, s.compute) : 1;
  const auto of = [&](const Ranged<double>& share, double load) {
    return std::min(cap_of(c), c.device.power * (share.value * power_left_by_cap(c, mean, load)));
  };
  return {of(l.compute, 1), of(l.memory, law.other_load), of(l.waiting, law.other_load),
          c.device.power * l.idle.value};
}

// Mean power of a device over the whole run.
Watts mean_power(const LoadPower& p, const StepLoad& s, const Goodput& g) {
  const Watts step = p.compute * s.compute + p.memory * s.memory + p.waiting * s.waiting;
  const double steps = g.training + g.lost_work;
  // While a replica is away its share of the devices idles: in all as long as what it adds.
  const double gone = g.detection + g.restart + g.spares + g.planned + g.away;
  // Beside a slow node the others wait.
  const double waits = g.checkpoint + g.slow;
  return (step * steps + p.waiting * waits + p.idle * gone) / g.total;
}

void add_carbon(const EnergyModel& m, Seconds wall, EnergyUse& e) {
  if (m.carbon) e.carbon = m.carbon->value * e.facility;
  if (!m.by_hour) return;
  e.carbon = carbon_from(*m.by_hour, e.average, wall, 0);
  CarbonByStart by{*e.carbon, 0, *e.carbon};
  for (std::size_t hour = 1; hour < m.by_hour->size(); ++hour) {
    const Kilograms from = carbon_from(*m.by_hour, e.average, wall, hour);
    if (from.kg < by.least.kg) by = {from, hour, by.most};
    by.most.kg = std::max(by.most.kg, from.kg);
  }
  e.by_start = by;
}

}  // namespace

Kilograms carbon_from(const HourlyCarbon& hours, Watts power, Seconds time, std::size_t hour) {
  double a_day = 0;  // kg/J, summed over its hours
  for (const CarbonIntensity c : hours) a_day += c.kg_per_joule;
  const double days = std::floor(time / kDay);
  double sum = days * a_day;
  double left = (time - kDay * days) / kHour;
  for (; left > 0; left -= 1, ++hour) {
    sum += hours[hour % hours.size()].kg_per_joule * std::min(1.0, left);
  }
  return {sum * (power * kHour).si()};
}

StepLoad step_load(const Answer& a) {
  const auto share = [&](Term t) { return a.breakdown[t] / a.step_time; };
  StepLoad s;
  s.compute = share(Term::compute) + share(Term::recompute);
  s.memory = share(Term::optimizer) + share(Term::offload_exposed);
  s.waiting = 1 - s.compute - s.memory;
  return s;
}

StepLoad mean_load(const std::vector<TimedLoad>& parts) {
  Seconds all;
  for (const TimedLoad& p : parts) all += p.time;
  StepLoad mean{0, 0, 0};
  for (const TimedLoad& p : parts) {
    const double share = p.time / all;
    mean.compute += p.load.compute * share;
    mean.memory += p.load.memory * share;
    mean.waiting += p.load.waiting * share;
  }
  return mean;
}

EnergyUse energy_use(const Cluster& c, std::int64_t spares, const EnergyModel& m,
                     const StepLoad& step, const Goodput& g, Seconds wall) {
  EnergyUse e;
  const auto all = static_cast<double>(system_count(c) + spares);
  e.node_power_known = node_power_is_known(c);
  const Watts around = power_around_devices(c) * m.load.rest.value;
  const LoadPower power = load_power(c, m.load, step);
  const Watts working = mean_power(power, step, g) * static_cast<double>(c.gpus);
  const Watts rated = c.device.power * static_cast<double>(devices_of_system(c));
  const Watts idle = rated * (static_cast<double>(spares) * m.load.idle.value);
  e.pue_known = m.pue.has_value();
  const double pue = pue_of(m);
  e.devices = working * wall;
  e.nodes = (working + idle + around * all) * wall;
  e.facility = e.nodes * pue;
  e.average = e.facility / wall;
  e.peak = most_power(c, all * pue);
  e.swing = (power.compute - power.waiting) * (static_cast<double>(c.gpus) * pue);
  add_carbon(m, wall, e);
  return e;
}

}  // namespace orrery
