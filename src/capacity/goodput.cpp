// SPDX-License-Identifier: Apache-2.0
#include "capacity/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "estimate/training.h"

namespace orrery {
namespace {

// Beyond this the job never ends. The product of three such powers is still a number.
constexpr double kHopeless = 200;

// The rate of a job that fails before it runs again.
constexpr PerSecond kWithoutRest{1e9};

double power(double x) { return std::exp(std::min(x, kHopeless)); }
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

// Erlang B of k servers from that of k − 1.
double one_more_server(double blocked, std::int64_t k, double load) {
  return load * blocked / (static_cast<double>(k) + load * blocked);
}

// A run that fails this often is stopped: it would never end.
constexpr std::int64_t kMostFailures = 200'000;

class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed) {}

  void run(const Leg& leg) {
    r_ = leg.recovery;
    rate_ = rate_while_running(r_).si();
    tau_ = leg.interval.si();
    segment_ = tau_ + r_.stall.si();
    const double begin = clock_;
    train(leg.training.si());
    stopped_ += (clock_ - begin) * (r_.planned.rate * r_.planned.duration);
  }

  double clock() const { return clock_ + stopped_; }
  std::int64_t failures() const { return failures_; }

 private:
  void train(double training) {
    double done = 0;
    while (failures_ < kMostFailures) {
      const double left = training - done;
      const double needed = left + r_.stall.si() * stalls(left);
      const double until = next_failure();
      if (until >= needed) {
        clock_ += needed;
        break;
      }
      clock_ += until;
      done += kept(until);
      recover();
    }
  }

  double uniform() {
    constexpr double kScale = 1.0 / 9007199254740992.0;  // 2⁻⁵³
    return static_cast<double>(random_() >> 11U) * kScale;
  }

  double next_failure() {
    return rate_ > 0 ? -std::log1p(-uniform()) / rate_ : std::numeric_limits<double>::infinity();
  }

  // No checkpoint follows the last piece of training.
  double stalls(double left) const {
    return std::isfinite(tau_) ? std::max(0.0, std::ceil(left / tau_) - 1) : 0;
  }

  // Training saved in checkpoints that were safe `until` after the last recovery.
  double kept(double until) const {
    const double safe = until - r_.durable.si();
    return safe > 0 && std::isfinite(segment_) ? tau_ * std::floor(safe / segment_) : 0;
  }

  void fail() {
    ++failures_;
    clock_ += r_.detection.si();
    if (r_.repair.si() > 0 && uniform() * r_.failures.si() < r_.node_failures.si()) lose_node();
  }

  void recover() {
    fail();
    while (failures_ < kMostFailures) {
      const double until = next_failure();
      clock_ += std::min(until, r_.restart.si());
      if (until >= r_.restart.si()) return;
      fail();
    }
  }

  void lose_node() {
    away_.erase(
        std::remove_if(away_.begin(), away_.end(), [this](double t) { return t <= clock_; }),
        away_.end());
    away_.push_back(clock_ + r_.repair.si());
    const auto spares = static_cast<std::size_t>(r_.spares);
    // All repairs take the same time, so nodes come back in the order of their removal.
    if (away_.size() > spares) clock_ = std::max(clock_, away_[away_.size() - spares - 1]);
  }

  Recovery r_;
  double rate_ = 0;
  double tau_ = 0;
  double segment_ = 0;
  std::mt19937_64 random_;
  double clock_ = 0;    // without planned stops
  double stopped_ = 0;  // planned
  std::int64_t failures_ = 0;
  std::vector<double> away_;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Spread s;
  for (const double v : values) s.mean += v / static_cast<double>(values.size());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  s.p10 = at(0.1);
  s.p90 = at(0.9);
  return s;
}

}  // namespace

PerSecond rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) rate += c.rate;
  return rate;
}

PerSecond node_rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) {
    if (c.takes_node) rate += c.rate;
  }
  return rate;
}

PerSecond rate_while_running(const Recovery& r) {
  if (r.failures.si() <= 0) return {};
  const double mean = 1 / r.failures.si() / (1 + r.planned.rate * r.planned.duration);
  const double runs = mean - r.detection.si();
  return runs > 1 / kWithoutRest.si() ? PerSecond(1 / runs) : kWithoutRest;
}

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
  const double rate = rate_while_running(r).si();
  if (rate <= 0) return Seconds(std::numeric_limits<double>::infinity());
  return std::max(floor, Seconds(optimal_exponent(rate * r.stall.si()) / rate));
}

double erlang_b(std::int64_t servers, double load) {
  double blocked = 1;
  for (std::int64_t k = 1; k <= servers; ++k) blocked = one_more_server(blocked, k, load);
  return blocked;
}

double waiting_share(const Recovery& r) {
  const double load = r.node_failures * r.repair;
  return load > 0 ? erlang_b(r.spares + 1, load) : 0;
}

std::int64_t spares_for(const Recovery& r, double share, std::int64_t most) {
  const double load = r.node_failures * r.repair;
  if (load <= 0) return 0;
  std::int64_t spares = 0;
  double waits = one_more_server(1, 1, load);
  while (spares < most && waits >= share) {
    ++spares;
    waits = one_more_server(waits, spares + 1, load);
  }
  return spares;
}

Loss worst_loss(const Goodput& g) {
  const double failed = g.lost_work + g.detection + g.restart;
  if (g.spares >= std::max(failed, g.planned)) return Loss::spares;
  if (g.planned >= std::max(failed, g.checkpoint)) return Loss::planned;
  return failed >= g.checkpoint ? Loss::failures : Loss::checkpoints;
}

Goodput goodput(const Recovery& r, Seconds interval) {
  Goodput g;
  g.interval = interval;
  const double rate = rate_while_running(r).si();
  if (rate > 0) {
    const double tau = interval.si();
    const double segment = rate * (tau + r.stall.si());
    const double failed = grown(segment) * power(rate * r.durable.si());
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

SimulatedGoodput simulate_goodput(const std::vector<Leg>& legs, std::int64_t runs,
                                  std::uint64_t seed) {
  std::vector<double> walls;
  std::vector<double> failures;
  for (std::int64_t i = 0; i < runs; ++i) {
    Life life(seed + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL);
    for (const Leg& leg : legs) life.run(leg);
    walls.push_back(life.clock());
    failures.push_back(static_cast<double>(life.failures()));
  }
  const Spread wall = spread_of(walls);
  return {
      {Seconds(wall.mean), Seconds(wall.p10), Seconds(wall.p90)}, spread_of(failures), runs, seed};
}

}  // namespace orrery
