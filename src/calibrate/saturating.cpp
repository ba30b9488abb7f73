// SPDX-License-Identifier: Apache-2.0
#include "calibrate/saturating.h"

#include <array>
#include <cmath>

#include "calibrate/least_squares.h"

namespace orrery {
namespace {

// Spreads of ln, as weak as those of knobs.cpp or weaker.
constexpr std::array<double, 3> kSpreads = {0.5, 2, 1};
constexpr double kNoise = 0.05;
constexpr int kLooksPlain = 20;

SaturatingCurve curve_at(const std::vector<double>& x, FlopsPerSecond peak) {
  constexpr double kShare = 0.75;
  constexpr double kHalf = 1e9;  // FLOPs
  constexpr double kLaunch = 4e-6;
  return {peak * kShare * std::exp(x[0] * kSpreads[0]), Flops(kHalf * std::exp(x[1] * kSpreads[1])),
          Seconds(kLaunch * std::exp(x[2] * kSpreads[2]))};
}

}  // namespace

Seconds time_by(const SaturatingCurve& c, Flops work) {
  return c.launch + (work + c.half) / c.rate;
}

SaturatingCurve fit_saturating(std::span<const Measurement* const> products, FlopsPerSecond peak) {
  FitProblem problem;
  problem.knobs.assign(kSpreads.size(), {-6, 6});
  problem.levels = 1;
  problem.level_spread = 1e-6;
  for (std::size_t i = 0; i < products.size(); ++i) {
    problem.data.push_back({kNoise, 1, 0, {0, 1, 2}});
  }
  problem.residual = [&](std::size_t i, const std::vector<double>& x) {
    const Measurement& m = *products[i];
    return std::log(time_by(curve_at(x, peak), Flops(amount_of(m))) / m.timed.time);
  };
  const FitSlopes start = slopes_at(problem, std::vector<double>(kSpreads.size(), 0));
  return curve_at(fit(problem, select_all(problem), start, kLooksPlain).x, peak);
}

}  // namespace orrery
