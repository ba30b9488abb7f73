// SPDX-License-Identifier: Apache-2.0
#include "capacity/recovery_policy.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// Between two rows, or beyond the last two: a power of the GPUs.
Seconds by_power(const TimeAtSize& a, const TimeAtSize& b, std::int64_t gpus) {
  const auto ln = [](std::int64_t n) { return std::log(static_cast<double>(n)); };
  const double along = (ln(gpus) - ln(a.gpus)) / (ln(b.gpus) - ln(a.gpus));
  return a.time * std::pow(b.time / a.time, along);
}

// The mean over all failures, each as it shows.
Seconds mean_detection(const RecoveryPolicy& p, const Interruptions& i) {
  double sum = 0;
  for (const FailureClass& c : i.classes) {
    sum += c.rate * p.detection[c.sign].value_or(i.detection.value);
  }
  return Seconds(sum / rate_per_gpu(i).si());
}

// The mean over failures that take a node and those that do not.
Seconds mean_restart(const RecoveryPolicy& p, const Interruptions& i, std::int64_t gpus) {
  const Seconds elsewhere = p.restart ? time_at(*p.restart, gpus) : i.restart.value;
  const Seconds in_place = p.restart_in_place ? time_at(*p.restart_in_place, gpus) : elsewhere;
  const double share = node_rate_per_gpu(i) / rate_per_gpu(i);
  return elsewhere * share + in_place * (1 - share);
}

CoveredFailures covered_by(const RecoveryPolicy& p, const JobShape& job, Seconds restart) {
  CoveredFailures c;
  if (p.replica) {
    c.share = p.replica->covers;
    c.restart = p.restart_in_place ? time_at(*p.restart_in_place, job.gpus) : restart;
    c.away = p.replica->away;
    c.replicas = static_cast<double>(job.replicas);
  } else if (p.memory) {
    c.share = p.memory->covers;
    c.restart = restart;
    c.interval = job.longest_step * static_cast<double>(p.memory->every_steps);
    c.stall = p.memory->stall;
  }
  return c;
}

}  // namespace

Seconds time_at(const TimeBySize& table, std::int64_t gpus) {
  if (table.size() == 1) return table.front().time;
  const auto above = std::find_if(table.begin() + 1, table.end() - 1,
                                  [&](const TimeAtSize& t) { return t.gpus >= gpus; });
  return by_power(*(above - 1), *above, gpus);
}

bool is_policy_of(const RecoveryPolicy& p, std::int64_t replicas) {
  return !p.replica || replicas > 1;
}

Recovery under(const RecoveryPolicy& p, const Interruptions& i, const JobShape& job, Seconds read,
               Recovery r) {
  if (rate_per_gpu(i).si() <= 0) return r;
  const Seconds restart = mean_restart(p, i, job.gpus);
  r.detection = mean_detection(p, i);
  r.restart = restart + read;
  r.covered = covered_by(p, job, restart);
  return r;
}

}  // namespace orrery
