// SPDX-License-Identifier: Apache-2.0
//
// The constants that a fit may move, given the kinds of work that were measured.
//
// A knob is one number of a device or of a tier, with the documents' value as its prior and its
// path in a calibration (hardware/calibration.h); some move several numbers at once. Its value at x
// is prior·exp(x·spread), for a time factor 1 + (prior − 1)·exp(x·spread), within the limits of the
// document's reader. A fused kernel has a rate by head size, which moves forward and backward
// together; if they were timed apart, there is one more for backward alone. Tiles are no knob: a
// fit tries kTiles one by one. Units: SI, as in the documents. Errors: none.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/least_squares.h"
#include "calibrate/measurement.h"
#include "hardware/cluster.h"

namespace orrery {

// One number that a knob moves.
struct KnobPath {
  std::string path;
  Dimension unit{};
  std::function<double(const Cluster&)> get;
};

struct Knob {
  std::vector<KnobPath> paths;
  double prior = 0;
  double spread = 0;  // of ln, one standard deviation of the prior
  double lowest = 0;
  double highest = 0;
  bool is_factor = false;  // a time factor, from 1
  std::function<void(Cluster&, double)> set;
};

double value_at(const Knob& k, double x);
KnobBounds bounds_of(const Knob& k);

// The knobs that the measurements can determine. Set them in this order: a later one may multiply
// the value of an earlier one.
std::vector<Knob> knobs_for(const std::vector<Measurement>& points, const Cluster& cluster);

struct TileShape {
  std::int64_t m = 0;
  std::int64_t n = 0;

  bool operator==(const TileShape&) const = default;
};

// Tiles of cuBLAS and CUTLASS. Source: arXiv:2401.14489; NVIDIA/cutlass, default tiles.
inline constexpr std::array<TileShape, 6> kTiles = {
    {{128, 256}, {128, 128}, {256, 128}, {128, 64}, {64, 64}, {256, 256}}};

}  // namespace orrery
