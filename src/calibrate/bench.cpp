// SPDX-License-Identifier: Apache-2.0
#include "calibrate/bench.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/scatter.h"

namespace orrery {
namespace {

constexpr double kAgree = 0.05;  // of two warm-up timings
constexpr int kMostWarmUps = 20;
constexpr double kResolved = 1e-3;  // seconds a sample lasts at least
constexpr std::int64_t kMostRuns = 100'000;
constexpr std::size_t kFewestSamples = 5;
constexpr std::size_t kMostSamples = 50;
constexpr double kMedianOverMean = 1.2533;  // uncertainty of a median over that of a mean, √(π/2)

double scatter_of(const std::vector<double>& samples, double median) {
  std::vector<double> deviations;
  for (const double s : samples) deviations.push_back(std::abs(s - median));
  return kToDeviation * median_of(deviations) / median;
}

// Until caches, clocks and lazy loading have settled; the last timing of one run.
Seconds warm_up(MeasuringDevice& device) {
  Seconds before = device.run(1);
  for (int i = 0; i < kMostWarmUps; ++i) {
    const Seconds now = device.run(1);
    const bool settled = std::abs(now / before - 1) < kAgree;
    before = now;
    if (settled) break;
  }
  return before;
}

TimedWork sample(MeasuringDevice& device, Seconds end) {
  const double one = std::max(warm_up(device).si(), 1e-9);
  const auto runs =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(kResolved / one)), 1, kMostRuns);
  std::vector<double> samples;
  double median = 0;
  double scatter = 0;
  while (samples.size() < kMostSamples) {
    samples.push_back(device.run(runs).si() / static_cast<double>(runs));
    if (samples.size() < kFewestSamples) continue;
    median = median_of(samples);
    scatter = scatter_of(samples, median);
    const double uncertain =
        kMedianOverMean * scatter / std::sqrt(static_cast<double>(samples.size()));
    if (uncertain < kEnough || device.now() > end) break;
  }
  return {Seconds(median), std::max(scatter, 1e-4)};
}

// Bits of i turned around: 0, ½, ¼, ¾, … of the way through.
double turned(std::size_t i) {
  double value = 0;
  double bit = 0.5;
  for (; i > 0; i >>= 1U, bit /= 2) value += (i & 1U) != 0 ? bit : 0;
  return value;
}

// Positions 0 … n−1 so that any beginning is spread over the whole.
std::vector<std::size_t> spread_order(std::size_t n) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(n, false);
  for (std::size_t i = 0; order.size() < n; ++i) {
    const auto at = static_cast<std::size_t>(turned(i) * static_cast<double>(n));
    if (taken[at]) continue;
    taken[at] = true;
    order.push_back(at);
  }
  return order;
}

// One of each curve in turn.
std::vector<std::size_t> covering_order(const std::vector<Measurement>& work) {
  std::map<std::string, std::vector<std::size_t>> curves;
  for (std::size_t i = 0; i < work.size(); ++i) curves[curve_of(work[i])].push_back(i);
  std::vector<std::vector<std::size_t>> ordered;
  for (const auto& [name, in] : curves) {
    std::vector<std::size_t> one;
    for (const std::size_t at : spread_order(in.size())) one.push_back(in[at]);
    ordered.push_back(std::move(one));
  }
  std::vector<std::size_t> order;
  for (std::size_t rank = 0; order.size() < work.size(); ++rank) {
    for (const auto& curve : ordered) {
      if (rank < curve.size()) order.push_back(curve[rank]);
    }
  }
  return order;
}

}  // namespace

std::vector<Measurement> tenth_of(const std::vector<Measurement>& work) {
  constexpr std::size_t kTenth = 10;
  std::map<std::string, std::size_t> sizes;
  for (const Measurement& m : work) ++sizes[curve_of(m)];
  std::map<std::string, std::size_t> seen;
  std::vector<Measurement> out;
  for (const Measurement& m : work) {
    const std::string curve = curve_of(m);
    const std::size_t middle = std::min(kTenth, sizes[curve]) / 2;
    if (seen[curve]++ % kTenth == middle) out.push_back(m);
  }
  return out;
}

MeasurementSet measure(const std::vector<Measurement>& work, MeasuringDevice& device,
                       const BenchOptions& options) {
  const DeviceFacts facts = device.facts();
  const Seconds end = device.now() + options.budget;
  MeasurementSet set;
  set.driver = facts.driver;
  set.library = facts.library;
  std::map<std::string, std::size_t> refused;
  std::size_t late = 0;
  for (const std::size_t i : covering_order(work)) {
    if (device.now() > end) {
      ++late;
      continue;
    }
    const std::string why = device.prepare(work[i]);
    if (!why.empty()) {
      ++refused[why];
      continue;
    }
    Measurement m = work[i];
    m.timed = sample(device, end);
    set.points.push_back(m);
  }
  set.clocks = device.clocks();
  for (const auto& [why, count] : refused) {
    set.left_out.push_back(std::to_string(count) + " of the designed: " + why);
  }
  if (late > 0) set.left_out.push_back(std::to_string(late) + " that the budget left no time for");
  return set;
}

}  // namespace orrery
