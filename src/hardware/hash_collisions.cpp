// SPDX-License-Identifier: Apache-2.0
#include "hardware/hash_collisions.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/divide.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostExact = 512;

// e^−λ·λʲ/j!
double poisson(double mean, std::int64_t j) {
  const auto n = static_cast<double>(j);
  return std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
}

// Poisson probabilities of 0 to x with the mean of one link.
std::vector<double> cut_poisson(std::int64_t flows, std::int64_t links, std::int64_t x) {
  const double mean = static_cast<double>(flows) / static_cast<double>(links);
  std::vector<double> p;
  for (std::int64_t j = 0; j <= std::min(x, flows); ++j) p.push_back(poisson(mean, j));
  return p;
}

// P(X ≤ x) over P(Poisson(k) = k): the coefficient of zᵏ, link by link.
double exact_sum(std::int64_t flows, std::int64_t links, const std::vector<double>& of_link) {
  const auto most = static_cast<std::size_t>(flows);
  std::vector<double> sum = {1.0};
  for (std::int64_t i = 0; i < links; ++i) {
    std::vector<double> next(std::min(most + 1, sum.size() + of_link.size() - 1));
    for (std::size_t a = 0; a < sum.size(); ++a) {
      for (std::size_t b = 0; b < of_link.size() && a + b < next.size(); ++b) {
        next[a + b] += sum[a] * of_link[b];
      }
    }
    sum = std::move(next);
  }
  return sum.size() > most ? sum[most] : 0;
}

// The same by the cumulants of one cut link.
double edgeworth_sum(std::int64_t flows, std::int64_t links, const std::vector<double>& of_link) {
  double share = 0;
  double mean = 0;
  for (std::size_t j = 0; j < of_link.size(); ++j) {
    share += of_link[j];
    mean += static_cast<double>(j) * of_link[j];
  }
  mean /= share;
  const auto moment = [&](int order) {
    double sum = 0;
    for (std::size_t j = 0; j < of_link.size(); ++j) {
      sum += std::pow(static_cast<double>(j) - mean, order) * of_link[j];
    }
    return sum / share;
  };
  const auto u = static_cast<double>(links);
  const double variance = moment(2);
  if (!(variance > 0)) return 0;
  const double skew = moment(3) / std::pow(variance, 1.5) / std::sqrt(u);
  const double excess = (moment(4) / (variance * variance) - 3) / u;
  const double z = (static_cast<double>(flows) - u * mean) / std::sqrt(u * variance);
  const double z2 = z * z;
  const double series = 1 + skew / 6 * z * (z2 - 3) + excess / 24 * (z2 * z2 - 6 * z2 + 3) +
                        skew * skew / 72 * (z2 * z2 * z2 - 15 * z2 * z2 + 45 * z2 - 15);
  const double density =
      std::exp(-z2 / 2) / std::sqrt(2 * std::numbers::pi * u * variance) * std::max(0.0, series);
  return std::pow(share, u) * density;
}

double no_more_than(std::int64_t x, std::int64_t flows, std::int64_t links) {
  const std::vector<double> of_link = cut_poisson(flows, links, x);
  const double sum =
      flows <= kMostExact ? exact_sum(flows, links, of_link) : edgeworth_sum(flows, links, of_link);
  return std::min(1.0, sum / poisson(static_cast<double>(flows), flows));
}

}  // namespace

FullestLink fullest_link(std::int64_t flows, std::int64_t links) {
  if (flows <= 0) return {};
  constexpr double kTail = 1e-9;
  constexpr double kShare = 0.95;
  const std::int64_t least = divided_up(flows, links);
  FullestLink out{static_cast<double>(least), 0};
  for (std::int64_t x = least; x <= flows; ++x) {
    const double more = 1 - no_more_than(x, flows, links);
    if (out.at_95 == 0 && more <= 1 - kShare) out.at_95 = x;
    if (more < kTail) break;
    out.mean += more;
  }
  return out;
}

}  // namespace orrery
