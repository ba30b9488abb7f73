// SPDX-License-Identifier: Apache-2.0
#include "validate/fit_constants.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

std::size_t slot_of(const FitDatum& d, std::size_t knob) {
  return static_cast<std::size_t>(std::find(d.knobs.begin(), d.knobs.end(), knob) -
                                  d.knobs.begin());
}

// How hard each source pulls a knob from its prior.
std::vector<MovedBy> movers(const FitRuns& runs, const FitSelection& s, const FitSolution& at,
                            std::size_t knob) {
  std::vector<MovedBy> by(runs.groups.size());
  double all = 0;
  for (std::size_t i = 0; i < runs.cases.size(); ++i) {
    const FitDatum& d = runs.problem.data[i];
    const std::size_t j = slot_of(d, knob);
    if (!s.data[i] || j == d.knobs.size()) continue;
    const double r = (runs.prior.residuals[i] + at.levels[d.level]) / d.noise;
    const double pull = d.weight * r / std::sqrt(1 + r * r) * runs.prior.slopes[i][j] / d.noise;
    MovedBy& m = by[runs.cases[i].group];
    m.source = runs.groups[runs.cases[i].group];
    m.share += pull;
    ++m.rows;
  }
  for (MovedBy& m : by) all += m.share = std::abs(m.share);
  for (MovedBy& m : by) m.share = all > 0 ? m.share / all : 0;
  std::erase_if(by, [](const MovedBy& m) { return m.rows == 0; });
  std::stable_sort(by.begin(), by.end(),
                   [](const MovedBy& a, const MovedBy& b) { return a.share > b.share; });
  return by;
}

// Without the constants that the data leave open.
FitSelection pinned_by(const FitRuns& runs, const FitSelection& selection,
                       const FitSolution& first) {
  FitSelection pinned = selection;
  for (std::size_t k = 0; k < first.x.size(); ++k) {
    pinned.knobs[k] = pinned.knobs[k] && first.spread[k] < runs.parameters.identified_below;
  }
  return pinned;
}

bool is_at_bound(const KnobBounds& b, double x) {
  return x - b.lowest < 1e-6 || b.highest - x < 1e-6;
}

}  // namespace

ConstantsFit fit_constants(const FitRuns& runs, const FitSelection& selection, int looks) {
  const FitSolution first = fit(runs.problem, selection, runs.prior, 0);
  const FitSelection pinned = pinned_by(runs, selection, first);
  const FitSolution last = fit(runs.problem, pinned, runs.prior, looks);
  ConstantsFit out;
  out.x = last.x;
  out.levels = last.levels;
  out.rows =
      static_cast<std::size_t>(std::count(selection.data.begin(), selection.data.end(), true));
  for (std::size_t k = 0; k < first.x.size(); ++k) {
    ConstantFit c;
    c.pinned = pinned.knobs[k];
    c.change = last.x[k] * runs.parameters.parameters[k].spread;
    c.spread = (c.pinned ? last : first).spread[k] * runs.parameters.parameters[k].spread;
    c.at_bound = c.pinned && is_at_bound(runs.problem.knobs[k], last.x[k]);
    c.moved_by = movers(runs, selection, last, k);
    c.used = !c.moved_by.empty();
    out.constants.push_back(std::move(c));
  }
  return out;
}

FitSolution fit_linear(const FitRuns& runs, const FitSelection& selection) {
  const FitSolution first = fit(runs.linear, selection, runs.prior, 0);
  return fit(runs.linear, pinned_by(runs, selection, first), runs.prior, 0);
}

}  // namespace orrery
