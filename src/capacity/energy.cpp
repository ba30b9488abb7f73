// SPDX-License-Identifier: Apache-2.0
#include "capacity/energy.h"

namespace orrery {
namespace {

// Mean share of a device's rated power over the whole run.
double mean_load(const DeviceLoad& l, const StepLoad& s, const Goodput& g) {
  const double step =
      s.compute * l.compute.value + s.memory * l.memory.value + s.waiting * l.waiting.value;
  const double steps = g.training + g.lost_work;
  const double gone = g.detection + g.restart + g.spares + g.planned;
  return (steps * step + g.checkpoint * l.waiting.value + gone * l.idle.value) / g.total;
}

}  // namespace

StepLoad step_load(const Answer& a) {
  const auto share = [&](Term t) { return a.breakdown[t] / a.step_time; };
  StepLoad s;
  s.compute = share(Term::compute) + share(Term::recompute);
  s.memory = share(Term::optimizer) + share(Term::offload_exposed);
  s.waiting = 1 - s.compute - s.memory;
  return s;
}

EnergyUse energy_use(const Cluster& c, std::int64_t spares, const EnergyModel& m,
                     const StepLoad& step, const Goodput& g, Seconds wall) {
  EnergyUse e;
  const auto all = static_cast<double>(system_count(c) + spares);
  const auto devices = static_cast<double>(devices_of_system(c));
  const Watts rated = c.device.power * devices;
  e.node_power_known = system_power(c) > rated;
  const Watts around = e.node_power_known ? system_power(c) - rated : Watts();
  const Watts working = c.device.power * (static_cast<double>(c.gpus) * mean_load(m.load, step, g));
  const Watts idle = rated * (static_cast<double>(spares) * m.load.idle.value);
  e.pue_known = m.pue.has_value();
  const double pue = m.pue ? m.pue->value : 1;
  e.nodes = (working + idle + around * all) * wall;
  e.facility = e.nodes * pue;
  e.average = e.facility / wall;
  e.peak = (rated + around) * (all * pue);
  if (m.carbon) e.carbon = m.carbon->value * e.facility;
  return e;
}

}  // namespace orrery
