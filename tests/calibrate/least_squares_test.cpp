// SPDX-License-Identifier: Apache-2.0
#include "calibrate/least_squares.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/about.h"

namespace orrery {
namespace {

// residual = 0.1·x0 + bend·0.05·x1² + 0.02·x1 − y, over two levels.
struct Bench {
  FitProblem problem;
  std::vector<double> y;

  explicit Bench(std::size_t knobs, std::size_t levels = 1) {
    problem.knobs.assign(knobs, KnobBounds{});
    problem.levels = levels;
    problem.level_spread = 0.001;
    problem.residual = [this](std::size_t i, const std::vector<double>& x) {
      double r = -y[i];
      for (std::size_t k = 0; k < problem.data[i].knobs.size(); ++k) {
        const std::size_t knob = problem.data[i].knobs[k];
        r += 0.1 * x[knob] + 0.01 * static_cast<double>(i % 3) * x[knob] * x[knob];
      }
      return r;
    };
  }

  void add(double measured, std::vector<std::size_t> knobs, std::size_t level = 0) {
    problem.data.push_back({0.01, 1, level, std::move(knobs)});
    y.push_back(measured);
  }

  FitSolution solve() const {
    const FitSlopes start = slopes_at(problem, std::vector<double>(problem.knobs.size(), 0));
    return fit(problem, select_all(problem), start, 3);
  }
};

TEST_CASE("what made the data is found again, curved as the residuals are") {
  Bench b(2);
  for (std::size_t i = 0; i < 30; ++i) {
    const double c = 0.01 * static_cast<double>(i % 3);
    const double x = i % 2 == 0 ? 1.5 : -0.7;
    b.add(0.1 * x + c * x * x, {i % 2});
  }
  const FitSolution s = b.solve();
  CHECK(s.x[0] == testing::about(1.5).epsilon(0.02));
  CHECK(s.x[1] == testing::about(-0.7).epsilon(0.02));
  CHECK(s.spread[0] < 0.1);
}

TEST_CASE("a knob that no datum depends on stays at its prior, and its spread says so") {
  Bench b(2);
  for (int i = 0; i < 9; ++i) b.add(0.1, {0});
  const FitSolution s = b.solve();
  CHECK(s.x[1] == 0);
  CHECK(s.spread[1] == testing::about(1));
}

TEST_CASE("one wild measurement among many does not own the answer") {
  Bench b(1);
  for (int i = 0; i < 30; ++i) b.add(0.05 + 0.0025 * (i % 3), {0});
  const double clean = b.solve().x[0];
  b.y[4] = 5;
  CHECK(std::abs(b.solve().x[0] - clean) < 0.05);
}

TEST_CASE("bounds hold, and a held knob does not stop the others") {
  Bench b(2);
  b.problem.knobs[0] = {-0.5, 0.5};
  for (int i = 0; i < 12; ++i) b.add(i % 2 == 0 ? 0.2 : 0.08, {static_cast<std::size_t>(i % 2)});
  const FitSolution s = b.solve();
  CHECK(s.x[0] == testing::about(0.5));
  CHECK(s.x[1] > 0.5);
}

TEST_CASE("what all data of a level share is the level's, not the knob's, where levels are wide") {
  Bench narrow(1, 2), wide(1, 2);
  wide.problem.level_spread = 1;
  for (int i = 0; i < 20; ++i) {
    const bool shifted = i % 2 == 0;
    for (Bench* b : {&narrow, &wide}) {
      b->add(shifted ? 0.2 : 0, {0}, shifted ? 0 : 1);
    }
  }
  CHECK(std::abs(wide.solve().x[0]) < 0.3);
  CHECK(narrow.solve().x[0] > 0.4);
}

TEST_CASE("what is left out of a fit has no say in it") {
  Bench b(1);
  for (int i = 0; i < 12; ++i) b.add(i < 6 ? 0.05 : 0.25, {0});
  const FitSlopes start = slopes_at(b.problem, {0});
  FitSelection half = select_all(b.problem);
  for (std::size_t i = 6; i < 12; ++i) half.data[i] = false;
  const double x = fit(b.problem, half, start, 3).x[0];
  for (std::size_t i = 6; i < 12; ++i) b.y[i] = -9;
  CHECK(fit(b.problem, half, start, 3).x[0] == x);
  half.knobs[0] = false;
  CHECK(fit(b.problem, half, start, 3).x[0] == 0);
}

}  // namespace
}  // namespace orrery
