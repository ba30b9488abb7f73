// SPDX-License-Identifier: Apache-2.0
#include "calibrate/least_squares.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

constexpr double kDifference = 0.05;  // of a prior standard deviation
constexpr int kMostSteps = 30;
constexpr int kMostTries = 8;
constexpr double kSmallGain = 1e-6;

double robust(double z) { return 2 * (std::sqrt(1 + z) - 1); }
double robust_slope(double z) { return 1 / std::sqrt(1 + z); }

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

struct State {
  std::vector<double> x;
  std::vector<double> levels;
  std::vector<double> residuals;
  double cost = 0;
};

class Solver {
 public:
  Solver(const FitProblem& p, const FitSelection& s, const FitSlopes& start)
      : p_(p), s_(s), slopes_(start) {
    state_.x = start.x;
    state_.levels.assign(p.levels, 0);
    state_.residuals = start.residuals;
    state_.cost = cost_of(state_);
  }

  FitSolution run(int looks) {
    double damping = 1e-3;
    int steps = 0;
    while (steps < kMostSteps) {
      ++steps;
      const double before = state_.cost;
      const bool moved = step(damping);
      const bool settled = !moved || before - state_.cost < kSmallGain * (1 + before);
      if (!settled) continue;
      if (looks-- <= 0) break;
      slopes_ = slopes_at(p_, state_.x);
      damping = 1e-3;
    }
    return solution(steps);
  }

 private:
  std::size_t width() const { return p_.knobs.size() + p_.levels; }
  std::size_t level_column(std::size_t i) const { return p_.knobs.size() + p_.data[i].level; }

  double cost_of(const State& s) const {
    double cost = 0;
    for (std::size_t i = 0; i < p_.data.size(); ++i) {
      if (s_.data[i]) cost += p_.data[i].weight * robust(scaled(s, i) * scaled(s, i));
    }
    for (const double x : s.x) cost += x * x;
    for (const double l : s.levels) cost += l * l / (p_.level_spread * p_.level_spread);
    return cost;
  }

  double scaled(const State& s, std::size_t i) const {
    return (s.residuals[i] + s.levels[p_.data[i].level]) / p_.data[i].noise;
  }

  // The Gauss–Newton matrix and the gradient, halved, priors included.
  void assemble(Eigen::MatrixXd& h, Eigen::VectorXd& g) const {
    h = Eigen::MatrixXd::Zero(at(width()), at(width()));
    g = Eigen::VectorXd::Zero(at(width()));
    for (std::size_t i = 0; i < p_.data.size(); ++i) {
      if (s_.data[i]) add_datum(i, h, g);
    }
    for (std::size_t k = 0; k < p_.knobs.size(); ++k) {
      h(at(k), at(k)) += 1;
      g(at(k)) += state_.x[k];
    }
    const double precision = 1 / (p_.level_spread * p_.level_spread);
    for (std::size_t l = 0; l < p_.levels; ++l) {
      const Eigen::Index c = at(p_.knobs.size() + l);
      h(c, c) += precision;
      g(c) += state_.levels[l] * precision;
    }
  }

  void add_datum(std::size_t i, Eigen::MatrixXd& h, Eigen::VectorXd& g) const {
    const FitDatum& d = p_.data[i];
    const double r = scaled(state_, i);
    const double w = d.weight * robust_slope(r * r);
    std::vector<std::pair<Eigen::Index, double>> row = {{at(level_column(i)), 1 / d.noise}};
    for (std::size_t j = 0; j < d.knobs.size(); ++j) {
      if (s_.knobs[d.knobs[j]]) row.push_back({at(d.knobs[j]), slopes_.slopes[i][j] / d.noise});
    }
    for (const auto& [a, slope] : row) {
      g(a) += w * slope * r;
      for (const auto& [b, other] : row) h(a, b) += w * slope * other;
    }
  }

  bool held(std::size_t k, double gradient) const {
    const KnobBounds& b = p_.knobs[k];
    return !s_.knobs[k] || (state_.x[k] <= b.lowest && gradient > 0) ||
           (state_.x[k] >= b.highest && gradient < 0);
  }

  // One accepted step; false if none lowers the cost.
  bool step(double& damping) {
    Eigen::MatrixXd h;
    Eigen::VectorXd g;
    assemble(h, g);
    for (std::size_t k = 0; k < p_.knobs.size(); ++k) {
      if (!held(k, g(at(k)))) continue;
      h.row(at(k)).setZero();
      h.col(at(k)).setZero();
      h(at(k), at(k)) = 1;
      g(at(k)) = 0;
    }
    for (int tries = 0; tries < kMostTries; ++tries, damping *= 8) {
      Eigen::MatrixXd damped = h;
      damped.diagonal() *= 1 + damping;
      const Eigen::VectorXd change = damped.ldlt().solve(-g);
      State next = moved(change);
      if (!(next.cost < state_.cost)) continue;
      state_ = std::move(next);
      damping = std::max(damping / 8, 1e-9);
      return true;
    }
    return false;
  }

  State moved(const Eigen::VectorXd& change) const {
    State next = state_;
    for (std::size_t k = 0; k < next.x.size(); ++k) {
      next.x[k] = std::clamp(next.x[k] + change(at(k)), p_.knobs[k].lowest, p_.knobs[k].highest);
    }
    for (std::size_t l = 0; l < p_.levels; ++l) next.levels[l] += change(at(p_.knobs.size() + l));
    for (std::size_t i = 0; i < p_.data.size(); ++i) {
      if (s_.data[i]) next.residuals[i] = p_.residual(i, next.x);
    }
    next.cost = cost_of(next);
    return next;
  }

  FitSolution solution(int steps) const {
    Eigen::MatrixXd h;
    Eigen::VectorXd g;
    assemble(h, g);
    const Eigen::MatrixXd covariance =
        h.ldlt().solve(Eigen::MatrixXd::Identity(at(width()), at(width())));
    FitSolution out;
    out.x = state_.x;
    out.levels = state_.levels;
    out.cost = state_.cost;
    out.steps = steps;
    for (std::size_t k = 0; k < p_.knobs.size(); ++k) {
      out.spread.push_back(std::sqrt(std::max(covariance(at(k), at(k)), 0.0)));
      const Eigen::VectorXd row = covariance.row(at(k)).head(at(p_.knobs.size()));
      out.covariance.emplace_back(row.begin(), row.end());
    }
    return out;
  }

  const FitProblem& p_;
  const FitSelection& s_;
  FitSlopes slopes_;
  State state_;
};

// Steps inwards near a bound.
double difference(const KnobBounds& b, double x) {
  return x + kDifference <= b.highest ? kDifference : -kDifference;
}

}  // namespace

FitSlopes slopes_at(const FitProblem& problem, const std::vector<double>& x) {
  FitSlopes out;
  out.x = x;
  // By knob: its data, and which of their knobs it is.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> data_of(problem.knobs.size());
  for (std::size_t i = 0; i < problem.data.size(); ++i) {
    const std::vector<std::size_t>& knobs = problem.data[i].knobs;
    out.residuals.push_back(problem.residual(i, x));
    out.slopes.emplace_back(knobs.size());
    for (std::size_t j = 0; j < knobs.size(); ++j) data_of[knobs[j]].emplace_back(i, j);
  }
  // All data at one x, then all at the next: what follows from x alone is made once.
  std::vector<double> shifted = x;
  for (std::size_t k = 0; k < data_of.size(); ++k) {
    const double h = difference(problem.knobs[k], x[k]);
    shifted[k] = x[k] + h;
    for (const auto& [i, j] : data_of[k]) {
      out.slopes[i][j] = (problem.residual(i, shifted) - out.residuals[i]) / h;
    }
    shifted[k] = x[k];
  }
  return out;
}

FitSelection select_all(const FitProblem& problem) {
  return {std::vector<bool>(problem.data.size(), true),
          std::vector<bool>(problem.knobs.size(), true)};
}

FitSolution fit(const FitProblem& problem, const FitSelection& selection, const FitSlopes& start,
                int looks) {
  return Solver(problem, selection, start).run(looks);
}

}  // namespace orrery
