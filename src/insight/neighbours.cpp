// SPDX-License-Identifier: Apache-2.0
#include "insight/neighbours.h"

#include <algorithm>
#include <cmath>

#include "estimate/estimate.h"
#include "estimate/run.h"

namespace orrery {
namespace {

constexpr double kHalf = 0.5;

void halve(Tier& t) {
  t.bandwidth = t.bandwidth * kHalf;
  for (std::size_t i = 0; i < t.group_sizes; ++i) {
    t.group_bandwidth[i].bandwidth = t.group_bandwidth[i].bandwidth * kHalf;
  }
}

Seconds step_with(const SharedTraffic& own, Seconds delay) {
  if (!(own.busy > Seconds())) return own.step;
  return own.step + (own.halved - own.step) * (delay / own.busy);
}

}  // namespace

SharedTraffic shared_traffic(const CommReport& r) {
  const Run& run = r.run.resolved.run;
  const std::size_t outer = run.cluster.tier_count - 1U;
  SharedTraffic t;
  t.step = r.run.answer.step_time;
  t.tier = std::string(run.cluster.tiers[outer].name.view());
  for (const MessageClass& m : r.messages) {
    if (m.line.tier == outer) t.busy += m.line.time;
  }
  Run halved = run;
  halve(halved.cluster.tiers[outer]);
  t.halved = estimate(halved).step_time;
  return t;
}

TrafficDelay delay_beside(Seconds busy, Seconds period, Seconds other_busy) {
  if (!(busy > Seconds()) || !(other_busy > Seconds())) return {};
  constexpr double kBeyond = 0.05;
  const double c = busy.si();
  const double t = period.si();
  const double sends = std::min(other_busy.si(), t);
  const double whole = std::floor(c / t);
  const double rest = c - whole * t;
  const double least = std::max(0.0, rest + sends - t);
  const double most = std::min(rest, sends);
  const double flat = std::abs(rest - sends);  // phases of the most, as a time
  const double tail = std::max(least, most - std::max(0.0, kBeyond * t - flat) / 2);
  return {Seconds(c * sends / t), Seconds(whole * sends + tail), Seconds(whole * sends + most)};
}

StepsBeside steps_beside(const SharedTraffic& own, const SharedTraffic& other) {
  const TrafficDelay d = delay_beside(own.busy, other.step, other.busy);
  return {step_with(own, d.mean), step_with(own, d.at_95), step_with(own, d.worst)};
}

}  // namespace orrery
