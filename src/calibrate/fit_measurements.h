// SPDX-License-Identifier: Apache-2.0
//
// The constants of one device, and of the tiers of one node, fitted on measured times.
//
// Levenberg–Marquardt (calibrate/least_squares.h) on ln(predicted/measured), with the formulas of
// cost and network (calibrate/predict.h). The noise of a point is its own spread and the misfit of
// its kind in a first fit. A knob is pinned if the data bring its uncertainty below half of its
// prior's, or rule the documents' value out by two deviations (a cost of 4); the others keep that
// value, the loosest first, and the rest are fitted again. The tile of the documents is kept unless
// another fits better by as much, and three products or more are of one wave at most.
//
// Repeats of one work count as one point together.
//
// Held-out errors: each work is compared with a fit without it (tiles and pins chosen anew). The
// k-th works of all curves, in order of size, are left out at once; in a curve of more than kFolds
// also every kFolds-th after. A fit without any point is the documents' value.
// For products a plain saturating curve is fitted and held out in the same way. Units: SI. Errors:
// none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/knobs.h"

namespace orrery {

struct FittedKnob {
  Knob knob;
  double before = 0;
  double after = 0;
  double spread = 0;  // relative, of the value
  bool pinned = false;
  bool at_bound = false;
};

struct FittedPoint {
  Seconds before{};      // by the documents
  Seconds fitted{};      // by the fit of all points
  Seconds held_out{};    // by the fit without it
  Seconds saturating{};  // by the plain curve without it; 0: none
};

// Statistics of |predicted/measured − 1|.
struct FitErrors {
  double median = 0;
  double p90 = 0;
};

struct KindOfFit {
  std::string name;  // kind_of(), or a curve
  std::size_t points = 0;
  FitErrors before;
  FitErrors fitted;
  FitErrors held_out;
  FitErrors saturating;  // 0 where there is none
};

struct MeasurementFit {
  Cluster before;
  Cluster after;
  TileShape tile;  // of `after`
  bool tile_moved = false;
  std::vector<FittedKnob> knobs;
  std::vector<FittedPoint> points;  // as given
  std::vector<KindOfFit> kinds;
  std::vector<KindOfFit> curves;
  KindOfFit all;
};

inline constexpr std::size_t kFolds = 20;

// For each point the fold that leaves it out.
std::vector<std::size_t> folds_of(const std::vector<Measurement>& points);

// `step` is called again and again, and may throw to end the fit.
MeasurementFit fit_measurements(
    const std::vector<Measurement>& points, const Cluster& cluster,
    const std::function<void()>& step = [] {});

// Statistics of predicted over measured.
FitErrors errors_of(std::vector<double> ratios);

}  // namespace orrery
