// SPDX-License-Identifier: Apache-2.0
#include "capacity/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

// Beyond this the job never ends.
constexpr double kHopeless = 300;

double grown(double x) { return std::expm1(std::min(x, kHopeless)); }

// (1 − x)·e^{x + λC} = 1: where the derivative of (e^{λ(τ+C)} − 1)/τ is 0, x = λτ in (0, 1).
double optimal_exponent(double stall_exponent) {
  const double wanted = std::exp(-stall_exponent);
  double low = 0;
  double high = 1;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double x = 0.5 * (low + high);
    if (x <= low || x >= high) break;
    ((1 - x) * std::exp(x) > wanted ? low : high) = x;
  }
  return 0.5 * (low + high);
}

}  // namespace

Seconds young_interval(Seconds stall, PerSecond failures) {
  return Seconds(std::sqrt(2 * stall.si() / failures.si()));
}

Seconds daly_interval(Seconds stall, PerSecond failures) {
  const double mean = 1 / failures.si();
  const double x = stall.si() / (2 * mean);
  if (x >= 1) return Seconds(mean);
  const double root = std::sqrt(x);
  return young_interval(stall, failures) * (1 + root / 3 + x / 9) - stall;
}

Seconds optimal_interval(const Recovery& r, Seconds shortest) {
  const Seconds floor = std::max(shortest, r.durable - r.stall);
  const double rate = r.failures.si();
  if (rate <= 0) return Seconds(std::numeric_limits<double>::infinity());
  return std::max(floor, Seconds(optimal_exponent(rate * r.stall.si()) / rate));
}

double erlang_b(std::int64_t servers, double load) {
  double blocked = 1;
  for (std::int64_t k = 1; k <= servers; ++k) {
    blocked = load * blocked / (static_cast<double>(k) + load * blocked);
  }
  return blocked;
}

double waiting_share(const Recovery& r) {
  const double load = r.node_failures * r.repair;
  return load > 0 ? erlang_b(r.spares + 1, load) : 0;
}

std::int64_t spares_for(Recovery r, double share, std::int64_t most) {
  for (r.spares = 0; r.spares < most && waiting_share(r) >= share;) ++r.spares;
  return r.spares;
}

Goodput goodput(const Recovery& r, Seconds interval) {
  Goodput g;
  g.interval = interval;
  const double rate = r.failures.si();
  if (rate > 0) {
    const double tau = interval.si();
    const double segment = rate * (tau + r.stall.si());
    const double failed = grown(segment + rate * r.durable.si()) - grown(rate * r.durable.si());
    const double again = grown(rate * r.restart.si());  // failed restarts for each failure
    g.checkpoint = r.stall.si() / tau;
    g.lost_work = failed / (rate * tau) - 1 - g.checkpoint;
    g.detection = failed * (1 + again) * r.detection.si() / tau;
    g.restart = failed * again / (rate * tau);
    g.failures = failed * (1 + again) / tau;
  } else if (std::isfinite(interval.si())) {
    g.checkpoint = r.stall / interval;
  }
  const double running = 1 + g.checkpoint + g.lost_work + g.detection + g.restart;
  const double waits = waiting_share(r);
  g.spares = running * waits / (1 - waits);
  g.planned = (running + g.spares) * (r.planned.rate * r.planned.duration);
  g.total = running + g.spares + g.planned;
  return g;
}

}  // namespace orrery
