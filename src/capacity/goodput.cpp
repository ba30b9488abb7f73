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

// Beyond this share of the replicas none is left to train.
constexpr double kMostAway = 1 - 1e-9;

// The rate of a job that fails before it runs again.
constexpr PerSecond kWithoutRest{1e9};

constexpr double kBeyondWindow = 0.3;

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

// Stops that undo nothing, for each other second.
double stopped(const Recovery& r) { return r.planned.rate * r.planned.duration + r.slow; }

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
    if (r_.covered.share > 0) {
      train_covered(leg.training.si());
    } else {
      train(leg.training.si());
    }
    stopped_ += (clock_ - begin) * stopped(r_);
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

  // Training done, and of it what the storage holds.
  struct Progress {
    double at = 0;
    double saved = 0;
  };

  // Training a second that runs, between stalls for the storage.
  double pace() const {
    const CoveredFailures& c = r_.covered;
    return c.interval.si() > 0 ? c.interval / (c.interval + c.stall) : 1.0;
  }

  void train_covered(double training) {
    Progress p;
    while (failures_ < kMostFailures) {
      const double needed = time_of(p, training - p.at);
      const double until = next_failure();
      clock_ += std::min(until, needed);
      if (until >= needed) return;
      p = after(p, until);
      recover(p, training);
    }
  }

  double until_save(const Progress& p) const { return std::max(0.0, tau_ - (p.at - p.saved)); }

  // No checkpoint follows the last piece of training.
  double time_of(const Progress& p, double left) const {
    const double beyond = left - until_save(p);
    const double stalls = std::isfinite(tau_) ? std::max(0.0, std::ceil(beyond / tau_)) : 0;
    return left / pace() + stalls * r_.stall.si();
  }

  // `until` seconds after `p`.
  Progress after(const Progress& p, double until) const {
    const double first = until_save(p);
    const double since = until - first / pace();  // since the first stall began
    if (!(since >= 0)) return {p.at + until * pace(), p.saved};
    const double period = tau_ / pace() + r_.stall.si();
    const double whole = std::floor(since / period);
    const double running = std::max(0.0, since - whole * period - r_.stall.si());
    Progress out{p.at + first + whole * tau_ + running * pace(), p.saved};
    const double safe = std::floor((since - (r_.stall + r_.durable).si()) / period);
    if (safe >= 0) out.saved = p.at + first + safe * tau_;
    return out;
  }

  // A failure and those of its restarts. The training that a replica misses while it is away is
  // added to what is left.
  void recover(Progress& p, double& training) {
    const CoveredFailures& c = r_.covered;
    if (c.interval.si() > 0) {
      p.at = std::max(p.saved, c.interval.si() * std::floor(p.at / c.interval.si()));
    }
    while (failures_ < kMostFailures) {
      fail();
      const bool covered = uniform() < c.share;
      if (covered) training += pace() * c.away.si() / c.replicas;
      if (!covered) p.at = p.saved;
      const double restart = (covered ? c.restart : r_.restart).si();
      const double until = next_failure();
      clock_ += std::min(until, restart);
      if (until >= restart) return;
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
    if (!r_.losses.empty()) lose_nodes();
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

  // The kind of loss that this failure is, if it is one.
  const NodeLoss* drawn_loss() {
    double at = uniform() * r_.failures.si();
    for (const NodeLoss& l : r_.losses) {
      if (at < l.rate.si()) return &l;
      at -= l.rate.si();
    }
    return nullptr;
  }

  void lose_nodes() {
    const NodeLoss* const loss = drawn_loss();
    if (loss == nullptr) return;
    away_.erase(away_.begin(), std::upper_bound(away_.begin(), away_.end(), clock_));
    const double back = clock_ + loss->repair.si();
    away_.insert(std::upper_bound(away_.begin(), away_.end(), back),
                 static_cast<std::size_t>(loss->nodes), back);
    const auto spares = static_cast<std::size_t>(r_.spares);
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
  std::vector<double> away_;  // until each is back, in order
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

bool is_failure(const FailureClass& c) { return c.sign != FaultSign::slow; }

PerSecond rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) {
    if (is_failure(c)) rate += c.rate;
  }
  return rate;
}

PerSecond slow_rate_per_gpu(const Interruptions& i) {
  PerSecond rate;
  for (const FailureClass& c : i.classes) {
    if (!is_failure(c)) rate += c.rate;
  }
  return rate;
}

double beyond_window(const Interruptions& i, std::int64_t gpus) {
  if (i.watched <= 0 || gpus <= i.watched) return 1;
  return std::pow(static_cast<double>(gpus) / static_cast<double>(i.watched), kBeyondWindow);
}

std::vector<NodeLoss> node_losses(const Interruptions& i, double gpus) {
  std::vector<NodeLoss> all;
  for (const FailureClass& c : i.classes) {
    const Seconds repair = c.repair.value_or(i.repair);
    if (c.nodes == 0 || repair.si() <= 0 || c.rate.si() <= 0) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const NodeLoss& l) {
      return l.nodes == c.nodes && l.repair == repair;
    });
    if (same == all.end()) {
      all.push_back({c.rate * gpus, c.nodes, repair});
    } else {
      same->rate += c.rate * gpus;
    }
  }
  return all;
}

PerSecond rate_while_running(const Recovery& r) {
  if (r.failures.si() <= 0) return {};
  const double mean = 1 / r.failures.si() / (1 + stopped(r));
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
  const double rate = rate_while_running(r).si() * (1 - r.covered.share);
  if (rate <= 0) return Seconds(std::numeric_limits<double>::infinity());
  return std::max(floor, Seconds(optimal_exponent(rate * r.stall.si()) / rate));
}

Loss worst_loss(const Goodput& g) {
  const double failed = g.lost_work + g.detection + g.restart + g.away + g.slow;
  if (g.spares >= std::max(failed, g.planned)) return Loss::spares;
  if (g.planned >= std::max(failed, g.checkpoint)) return Loss::planned;
  return failed >= g.checkpoint ? Loss::failures : Loss::checkpoints;
}

namespace {

// The share of times like this that a failure at `rate` cuts short.
double failing(double rate, Seconds time) { return -std::expm1(-rate * time.si()); }

// Seconds that run for one of training; failures for one that runs, those of restarts included.
struct Running {
  double seconds = 1;
  double failures = 0;
};

// The head of this file's letters.
Running running_covered(const Recovery& r, double rate, double tau) {
  const CoveredFailures& c = r.covered;
  const double rate_c = c.share * rate;
  const double rate_s = rate - rate_c;
  const double tau_m = c.interval.si();
  const double memory = tau_m > 0 ? grown(rate_c * (tau_m + c.stall.si())) / (rate_c * tau_m) : 1;
  const double segment = tau * memory + r.stall.si();
  const double seconds =
      rate_s > 0 ? grown(rate_s * segment) * power(rate_s * r.durable.si()) / (rate_s * tau)
                 : segment / tau;
  const double again =
      c.share * failing(rate, c.restart) + (1 - c.share) * failing(rate, r.restart);
  return {seconds, rate / (1 - again)};
}

Goodput goodput_covered(const Recovery& r, Seconds interval) {
  const double rate = rate_while_running(r).si();
  const Running u = running_covered(r, rate, interval.si());
  const CoveredFailures& c = r.covered;
  Goodput g;
  g.interval = interval;
  g.checkpoint = r.stall / interval + (c.interval.si() > 0 ? c.stall / c.interval : 0.0);
  g.lost_work = u.seconds - 1 - g.checkpoint;
  g.failures = u.seconds * u.failures;
  g.detection = g.failures * r.detection.si();
  // Each failure but those of restarts ends the running: what is between them is restart.
  g.restart = u.seconds * (u.failures / rate - 1);
  return g;
}

// Waiting for spares, replicas away and planned stops, beside what runs or recovers.
void add_waits(const Recovery& r, Goodput& g) {
  const double running = 1 + g.checkpoint + g.lost_work + g.detection + g.restart;
  const double waits = waiting_share(r.losses, r.spares);
  g.spares = running * waits / (1 - waits);
  const double away = std::min(
      kMostAway, r.covered.share * r.failures.si() * r.covered.away.si() / r.covered.replicas);
  g.away = (running + g.spares) * away / (1 - away);
  const double others = running + g.spares + g.away;
  g.planned = others * (r.planned.rate * r.planned.duration);
  g.slow = others * r.slow;
  g.total = others + g.planned + g.slow;
}

}  // namespace

Goodput goodput(const Recovery& r, Seconds interval) {
  if (r.covered.share > 0 && r.failures.si() > 0) {
    Goodput covered = goodput_covered(r, interval);
    add_waits(r, covered);
    return covered;
  }
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
  add_waits(r, g);
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
