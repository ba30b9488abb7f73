// SPDX-License-Identifier: Apache-2.0
//
// Constants from measurements: bounded, robust least squares with a prior on every unknown.
//
// Minimises Σ w·ρ(((r(x) + l)/σ)²) + Σ x² + Σ (l/s)² over the knobs x and the levels l, with
// ρ(z) = 2(√(1 + z) − 1) (soft L1), r a log ratio, σ the noise of a datum, w its weight. A knob
// counts in standard deviations of its own prior, so 0 is the value without data; a level is an
// unknown factor that some data share (a site, a software version), with spread s.
// Levenberg–Marquardt with slopes by finite differences; a knob at its bound stays there.
// Standard deviations and covariance come from the Gauss–Newton matrix at the end. Leaves out:
// correlated noise. Deterministic: one thread, a fixed order. Units: none. Errors: none; the caller
// must give finite residuals. Source: Triggs et al., Bundle Adjustment (2000), section 4, for the
// form.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace orrery {

struct KnobBounds {
  double lowest = -3;
  double highest = 3;
};

struct FitDatum {
  double noise = 1;
  double weight = 1;
  std::size_t level = 0;
  std::vector<std::size_t> knobs;  // those that can change its residual
};

struct FitProblem {
  std::vector<KnobBounds> knobs;
  std::vector<FitDatum> data;
  std::size_t levels = 0;
  double level_spread = 1;
  std::function<double(std::size_t datum, const std::vector<double>& x)> residual;
};

// Residuals and their slopes by knob, in the order of FitDatum::knobs, at x.
struct FitSlopes {
  std::vector<double> x;
  std::vector<double> residuals;
  std::vector<std::vector<double>> slopes;
};

FitSlopes slopes_at(const FitProblem& problem, const std::vector<double>& x);

// The data and knobs that take part, by index.
struct FitSelection {
  std::vector<bool> data;
  std::vector<bool> knobs;
};

FitSelection select_all(const FitProblem& problem);

struct FitSolution {
  std::vector<double> x;
  std::vector<double> spread;                   // of each knob; 1: the data say nothing
  std::vector<std::vector<double>> covariance;  // of the knobs
  std::vector<double> levels;
  double cost = 0;
  int steps = 0;
};

// Starts at `start` and computes the slopes again at most `looks` times; with 0 the first slopes
// are used throughout.
FitSolution fit(const FitProblem& problem, const FitSelection& selection, const FitSlopes& start,
                int looks);

}  // namespace orrery
