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

double per_second(const FailureClass& c) { return c.rate.si(); }

// The mean over all failures, each as it shows.
Seconds mean_detection(const RecoveryPolicy& p, const Interruptions& i) {
  double sum = 0;
  for (const FailureClass& c : i.classes) {
    if (is_failure(c)) sum += per_second(c) * p.detection[c.sign].value_or(i.detection.value).si();
  }
  return Seconds(sum / rate_per_gpu(i).si());
}

// The share of the failures that take at least so many nodes.
double share_taking(const Interruptions& i, std::int64_t nodes) {
  double sum = 0;
  for (const FailureClass& c : i.classes) {
    if (is_failure(c) && c.nodes >= nodes) sum += per_second(c);
  }
  return sum / rate_per_gpu(i).si();
}

// At a size, beyond the measured ones as the start-up grows.
Seconds at_size(const TimeBySize& table, const RecoveryPolicy& p, std::int64_t gpus) {
  const TimeAtSize& last = table.back();
  if (table.size() == 1 || !p.startup || gpus <= last.gpus) return time_at(table, gpus);
  return last.time + time_at(*p.startup, gpus) - time_at(*p.startup, last.gpus);
}

struct Restarts {
  Seconds elsewhere{};
  Seconds in_place{};
};

Restarts restarts(const RecoveryPolicy& p, const Interruptions& i, std::int64_t gpus) {
  const Seconds elsewhere = p.restart ? at_size(*p.restart, p, gpus) : i.restart.value;
  return {elsewhere, p.restart_in_place ? at_size(*p.restart_in_place, p, gpus) : elsewhere};
}

// The mean over failures that take a node and those that do not.
Seconds mean_of(const Restarts& r, const Interruptions& i) {
  const double share = share_taking(i, 1);
  return r.elsewhere * share + r.in_place * (1 - share);
}

// The mean time for which a failure of one node, or of none, keeps a replica away.
Seconds until_repaired(const Interruptions& i) {
  double sum = 0;
  double rate = 0;
  for (const FailureClass& c : i.classes) {
    if (!is_failure(c) || c.nodes > 1) continue;
    rate += per_second(c);
    if (c.nodes == 1) sum += per_second(c) * c.repair.value_or(i.repair).si();
  }
  return rate > 0 ? Seconds(sum / rate) : Seconds();
}

CoveredFailures covered_by(const RecoveryPolicy& p, const Interruptions& i, const JobShape& job,
                           const Restarts& each) {
  CoveredFailures c;
  const double alone = 1 - share_taking(i, 2);
  if (p.replica) {
    c.share = p.replica->covers * alone;
    c.restart = p.restart_in_place ? each.in_place : mean_of(each, i);
    c.away = p.replica->away.value_or(until_repaired(i));
    c.replicas = static_cast<double>(job.replicas);
    if (p.replica->loses_step) c.interval = job.longest_step;
  } else if (p.memory) {
    c.share = p.memory->covers * alone;
    c.restart = mean_of(each, i);
    c.interval = job.longest_step * static_cast<double>(p.memory->every_steps);
    c.stall = p.memory->stall;
  }
  return c;
}

// A replica that stays away until its node is repaired needs no spare.
void keep_uncovered(const RecoveryPolicy& p, std::vector<NodeLoss>& losses) {
  if (!p.replica || p.replica->away) return;
  for (NodeLoss& l : losses) {
    if (l.nodes == 1) l.rate = l.rate * (1 - p.replica->covers);
  }
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

Ranged<double> beyond_measured(const RecoveryPolicy& p, std::int64_t gpus) {
  const std::optional<TimeBySize>& table = p.restart ? p.restart : p.restart_in_place;
  if (!table || table->size() == 1 || gpus <= table->back().gpus) return exactly(1.0);
  const double growth = at_size(*table, p, gpus) / table->back().time;
  return {1, 1 / growth, growth};
}

Interruptions left_by(const RecoveryPolicy& p, Interruptions i) {
  for (FailureClass& c : i.classes) {
    if (c.nodes > 0) c.rate = c.rate * (1 - p.avoids);
  }
  return i;
}

Recovery under(const RecoveryPolicy& p, const Interruptions& i, const JobShape& job, Seconds read,
               double times, Recovery r) {
  if (rate_per_gpu(i).si() <= 0) return r;
  Restarts each = restarts(p, i, job.gpus);
  each = {each.elsewhere * times, each.in_place * times};
  r.detection = mean_detection(p, i);
  r.restart = mean_of(each, i) + read;
  r.covered = covered_by(p, i, job, each);
  keep_uncovered(p, r.losses);
  return r;
}

}  // namespace orrery
