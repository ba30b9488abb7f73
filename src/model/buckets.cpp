// SPDX-License-Identifier: Apache-2.0
#include "model/buckets.h"

#include <algorithm>
#include <cmath>

#include "model/documents.h"

namespace orrery {
namespace {

constexpr std::size_t kMostSums = 4096;
constexpr std::int64_t kMostDraws = 512;  // whose probabilities are numbers above 0

// A step of one rank: how many of its micro batches are of each bucket.
struct Sum {
  double time = 0;
  double probability = 0;
  std::vector<std::int64_t> drawn;
};

// Ways to draw so many of so many kinds, or one more than kMostSums.
std::size_t number_of_sums(std::size_t kinds, std::int64_t draws) {
  double n = 1;
  for (std::size_t i = 1; i < kinds; ++i) {
    n *= static_cast<double>(draws) / static_cast<double>(i) + 1;
    if (n > kMostSums) return kMostSums + 1;
  }
  return static_cast<std::size_t>(std::llround(n));
}

// Every sum, with its multinomial probability.
class Sums {
 public:
  Sums(std::span<const double> shares, std::span<const double> times)
      : shares_(shares), times_(times), drawn_(shares.size()) {}

  std::vector<Sum> all(std::int64_t draws) {
    add(0, draws, 0, 1);
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const Sum& a, const Sum& b) { return a.time < b.time; });
    return std::move(sums_);
  }

 private:
  void add(std::size_t kind, std::int64_t left, double time, double probability) {
    if (kind + 1 == shares_.size()) {
      const auto n = static_cast<double>(left);
      drawn_[kind] = left;
      sums_.push_back({time + n * times_[kind], probability * std::pow(shares_[kind], n), drawn_});
      return;
    }
    double ways = 1;  // C(left, n)·shareⁿ
    for (std::int64_t n = 0; n <= left; ++n) {
      drawn_[kind] = n;
      add(kind + 1, left - n, time + static_cast<double>(n) * times_[kind], probability * ways);
      ways *= shares_[kind] * static_cast<double>(left - n) / static_cast<double>(n + 1);
    }
  }

  std::span<const double> shares_;
  std::span<const double> times_;
  std::vector<std::int64_t> drawn_;
  std::vector<Sum> sums_;
};

std::vector<double> by_sums(std::span<const double> shares, std::span<const double> times,
                            std::int64_t ranks, std::int64_t draws) {
  std::vector<double> slowest(shares.size());
  double below = 0;
  double before = 0;
  for (const Sum& s : Sums(shares, times).all(draws)) {
    below = std::min(1.0, below + s.probability);
    const double now = std::pow(below, static_cast<double>(ranks));
    for (std::size_t i = 0; i < slowest.size(); ++i) {
      slowest[i] += (now - before) * static_cast<double>(s.drawn[i]) / static_cast<double>(draws);
    }
    before = now;
  }
  return slowest;
}

// The shares times e^(tilt·time), the time over the longest; their mean time.
double tilt(std::span<const double> shares, std::span<const double> times, double by,
            std::vector<double>& out) {
  const double longest = *std::max_element(times.begin(), times.end());
  double all = 0;
  double mean = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = shares[i] * std::exp(by * (times[i] / longest - 1));
    all += out[i];
    mean += out[i] * times[i];
  }
  for (double& share : out) share /= all;
  return mean / all;
}

std::vector<double> by_tilting(std::span<const double> shares, std::span<const double> times,
                               std::int64_t ranks, std::int64_t draws) {
  std::vector<double> slowest(shares.size());
  const double mean = tilt(shares, times, 0, slowest);
  double variance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    variance += shares[i] * (times[i] - mean) * (times[i] - mean);
  }
  const double wanted =
      mean + std::sqrt(variance / static_cast<double>(draws)) * expected_maximum(ranks);
  double low = 0;
  double high = 1000;  // beyond it the longest alone is left
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (tilt(shares, times, middle, slowest) < wanted ? low : high) = middle;
  }
  return slowest;
}

}  // namespace

std::vector<double> slowest_shares(std::span<const double> shares, std::span<const double> times,
                                   std::int64_t ranks, std::int64_t draws) {
  const bool alike =
      std::all_of(times.begin(), times.end(), [&](double t) { return t == times.front(); });
  if (ranks <= 1 || alike) return {shares.begin(), shares.end()};
  const bool few = draws <= kMostDraws && number_of_sums(shares.size(), draws) <= kMostSums;
  std::vector<double> slowest =
      few ? by_sums(shares, times, ranks, draws) : by_tilting(shares, times, ranks, draws);
  double all = 0;
  for (const double share : slowest) all += share;
  for (double& share : slowest) share /= all;
  return slowest;
}

}  // namespace orrery
