// SPDX-License-Identifier: Apache-2.0
#include "capacity/outcome.h"

#include <algorithm>

#include "capacity/date.h"

namespace orrery {
namespace {

Recovery recovery_of(const OutcomeInputs& in, const CheckpointCost& c) {
  const Interruptions& i = in.interruptions;
  const auto gpus = static_cast<double>(in.cluster.gpus);
  Recovery r;
  r.failures = rate_per_gpu(i) * gpus;
  r.node_failures = node_rate_per_gpu(i) * gpus;
  r.detection = i.detection.value;
  r.restart = i.restart.value + c.read;
  r.stall = c.stall;
  r.durable = c.durable;
  r.repair = i.repair;
  r.spares = in.spares;
  r.planned = i.planned;
  return r;
}

std::int64_t held_gpus(const OutcomeInputs& in) {
  return in.cluster.gpus + in.spares * in.cluster.devices_per_node;
}

}  // namespace

Seconds slowed(Seconds training, const Stragglers& s) {
  return training * (1 + s.slowdown * s.share);
}

double gpu_hours(const OutcomeInputs& in, Seconds wall) {
  return static_cast<double>(held_gpus(in)) * (wall / kHour);
}

Outcome outcome_of(const OutcomeInputs& in) {
  Outcome o;
  o.checkpoint = checkpoint_cost(in.checkpoint, in.storage, in.policy.mode, in.cluster);
  o.checkpoint.stall += in.policy.overhead;
  o.recovery = recovery_of(in, o.checkpoint);
  // A checkpoint begins only after the last one is safe, whatever interval was asked for.
  const Seconds interval =
      in.policy.interval.si() > 0
          ? std::max(in.policy.interval, o.checkpoint.durable - o.checkpoint.stall)
          : optimal_interval(o.recovery, in.longest_step);
  o.goodput = goodput(o.recovery, interval);
  o.training = slowed(in.training.value, in.interruptions.stragglers);
  o.wall = o.training * o.goodput.total;
  o.failures = o.goodput.failures * o.training.si();
  o.energy = energy_use(in.cluster, in.spares, in.energy, in.load, o.goodput, o.wall);
  o.bill = bill(in.prices, {held_gpus(in), node_count(in.cluster) + in.spares, o.wall,
                            o.energy.facility, in.stored});
  o.cost = total_of(o.bill);
  return o;
}

}  // namespace orrery
