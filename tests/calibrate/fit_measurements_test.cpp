// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_measurements.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/overlay.h"
#include "calibrate/predict.h"
#include "network/shipped_cluster.h"
#include "support/about.h"

using namespace orrery;

namespace {

Cluster a100() { return testing::shipped_cluster("dgx-a100-80gb", 8); }

Measurement product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Measurement x;
  x.work = MeasuredProduct{{m, n, k}, Precision::bf16};
  return x;
}

// A scatter that is the same every time: the fraction of multiples of the golden ratio.
double scatter(std::size_t i, double by) {
  const double turn = std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
  return std::exp(by * (2 * turn - 1));
}

std::vector<Measurement> timed(std::vector<Measurement> points, const Cluster& by, double noise) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].timed.time = predicted_time(points[i], by) * scatter(i, noise);
  }
  return points;
}

std::vector<Measurement> products() {
  std::vector<Measurement> points;
  for (const std::int64_t m : {256, 1024, 4096, 16384}) {
    for (const std::int64_t n : {1024, 4096, 12288}) {
      for (const std::int64_t k : {512, 4096, 16384}) points.push_back(product(m, n, k));
    }
  }
  return points;
}

// The time on a device: whole waves of whole tiles.
Seconds in_whole_waves(const ProductShape& p, const Device& d) {
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t waves = up(up(p.m, 128) * up(p.n, 256), d.multiprocessors);
  const double tile = 2.0 * 128 * 256 * (static_cast<double>(p.k) + 100);
  const FlopsPerSecond rate = peak_of(d, Precision::bf16) * 0.85;
  return Seconds(3e-6) + Flops(static_cast<double>(waves * d.multiprocessors) * tile) / rate;
}

const FittedKnob& knob(const MeasurementFit& fit, std::string_view path) {
  const auto found = std::find_if(fit.knobs.begin(), fit.knobs.end(), [&](const FittedKnob& k) {
    return k.knob.paths.front().path == path;
  });
  REQUIRE(found != fit.knobs.end());
  return *found;
}

}  // namespace

TEST_CASE("a fit finds the constants that made the times") {
  Cluster truth = a100();
  truth.device.efficiency.gemm[Precision::bf16] = 0.62;
  truth.device.efficiency.k_fill = 300;
  truth.device.efficiency.launch = Seconds(9e-6);
  const MeasurementFit fit = fit_measurements(timed(products(), truth, 0.02), a100());
  const FittedKnob& share = knob(fit, "device.efficiency.gemm.bf16");
  CHECK(share.pinned);
  CHECK(std::abs(share.after / 0.62 - 1) < 3 * share.spread + 0.01);
  CHECK(share.spread < 0.02);
  CHECK(std::abs(knob(fit, "device.efficiency.k_fill").after / 300 - 1) < 0.1);
  CHECK(std::abs(knob(fit, "device.efficiency.launch").after / 9e-6 - 1) < 0.1);
  CHECK(!fit.tile_moved);
  CHECK(fit.all.held_out.median < 0.02);
  CHECK(fit.all.before.median > 0.2);
}

TEST_CASE("another tile is found where the times have one") {
  Cluster truth = a100();
  truth.device.efficiency.tile_m = 64;
  truth.device.efficiency.tile_n = 64;
  const MeasurementFit fit = fit_measurements(timed(products(), truth, 0.01), a100());
  CHECK(fit.tile == TileShape{64, 64});
}

TEST_CASE("what the measurements do not touch stays, and is not pinned") {
  // Products so large that neither a launch nor the filling of a tile is seen.
  std::vector<Measurement> points;
  for (const std::int64_t n : {16384, 20480, 24576, 32768}) points.push_back(product(n, n, n));
  Cluster truth = a100();
  truth.device.efficiency.gemm[Precision::bf16] = 0.5;
  const MeasurementFit fit = fit_measurements(timed(points, truth, 0.01), a100());
  CHECK(knob(fit, "device.efficiency.gemm.bf16").pinned);
  CHECK(!knob(fit, "device.efficiency.launch").pinned);
  CHECK(fit.after.device.efficiency.launch == a100().device.efficiency.launch);
  CHECK(fit.after.device.efficiency.attention == a100().device.efficiency.attention);
  CHECK(fit.after.tiers == a100().tiers);
}

TEST_CASE("large products alone do not move the tile") {
  // Shapes that were chosen for full waves are as fast as each other.
  std::vector<Measurement> points;
  for (const std::int64_t m : {4096, 8192, 16384}) {
    for (const std::int64_t n : {4096, 8192, 12288}) points.push_back(product(m, n, 4096));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ProductShape& p = std::get<MeasuredProduct>(points[i].work).shape;
    const double flops =
        2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    points[i].timed.time = Seconds(flops / 255e12) * scatter(i, 0.015);
  }
  CHECK(!fit_measurements(points, a100()).tile_moved);
}

TEST_CASE("one group's times tell a rate, though a launch and its steps trade against each other") {
  // t = 31 us + S·(7/8)/200 GB/s: a share of 2/3 of the link, and no ramp.
  std::vector<Measurement> points;
  for (double size = 1 << 10; size <= 0x1p33; size *= 2) {
    Measurement x;
    x.work = MeasuredCollective{Collective::all_gather, 8, Bytes(size)};
    x.timed.time = Seconds(31e-6 + size * 7 / 8 / 200e9);
    points.push_back(x);
  }
  const MeasurementFit fit = fit_measurements(points, a100());
  CHECK(knob(fit, "tiers.nvswitch.efficiency").after == doctest::Approx(2.0 / 3).epsilon(0.04));
  CHECK(fit.all.fitted.p90 < 0.06);
  CHECK(fit.all.held_out.median < 0.03);
}

TEST_CASE("whole waves need waves: the plain curve misses what the form follows") {
  std::vector<Measurement> points;
  for (const std::int64_t m : {128, 512, 1024, 3072, 8192}) {
    for (const std::int64_t n : {256, 1024, 2560, 6144}) {
      for (const std::int64_t k : {256, 1024, 8192}) points.push_back(product(m, n, k));
    }
  }
  Cluster c = a100();
  c.device.efficiency.tile_load = 0;  // these times come from one tile
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& p = std::get<MeasuredProduct>(points[i].work);
    points[i].timed.time = in_whole_waves(p.shape, c.device) * scatter(i, 0.01);
  }
  const MeasurementFit fit = fit_measurements(points, c);
  CHECK(fit.all.held_out.median < 0.12);
  CHECK(fit.all.saturating.median > 2 * fit.all.held_out.median);
}

TEST_CASE("the folds do not depend on the order of the file, and leave every point out once") {
  std::vector<Measurement> points = timed(products(), a100(), 0.02);
  const std::vector<std::size_t> folds = folds_of(points);
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const auto left_out = static_cast<std::size_t>(std::count(folds.begin(), folds.end(), fold));
    CHECK(left_out >= points.size() / kFolds);
    CHECK(left_out <= points.size() / kFolds + 1);
  }
  std::vector<Measurement> turned(points.rbegin(), points.rend());
  std::vector<std::size_t> of_turned = folds_of(turned);
  std::reverse(of_turned.begin(), of_turned.end());
  CHECK(of_turned == folds);
  CHECK(fit_measurements(turned, a100()).all.held_out.median ==
        testing::about(fit_measurements(points, a100()).all.held_out.median).epsilon(1e-6));
}

TEST_CASE("repeats of one work count as one point, and are left out together") {
  const std::vector<Measurement> once = timed(products(), a100(), 0.02);
  std::vector<Measurement> thrice;
  for (const Measurement& m : once) thrice.insert(thrice.end(), 3, m);
  const MeasurementFit a = fit_measurements(once, a100());
  const MeasurementFit b = fit_measurements(thrice, a100());
  CHECK(b.all.held_out.median == testing::about(a.all.held_out.median).epsilon(0.1));
  CHECK(knob(b, "device.efficiency.gemm.bf16").spread ==
        testing::about(knob(a, "device.efficiency.gemm.bf16").spread).epsilon(0.1));
}

TEST_CASE("the only point is held out by the documents") {
  Cluster truth = a100();
  truth.device.efficiency.gemm[Precision::bf16] = 0.3;
  const MeasurementFit fit = fit_measurements(timed({product(8192, 8192, 8192)}, truth, 0), a100());
  CHECK(fit.all.fitted.median < 0.05);
  CHECK(fit.all.held_out.median == testing::about(fit.all.before.median));
  CHECK(fit.all.before.median > 0.3);
}

TEST_CASE("attention without a mask pins the half length that causal attention has") {
  Cluster truth = a100();
  truth.device.efficiency.attention[AttentionKernel::flash_2].half_length = 700;
  std::vector<Measurement> points;
  for (const std::int64_t s : {512, 1024, 2048, 4096, 8192, 16384}) {
    Measurement m;
    m.work = MeasuredAttention{{16384 / s * 16, s, s, 128, 128, 1.0}};
    points.push_back(m);
  }
  const MeasurementFit fit = fit_measurements(timed(points, truth, 0.005), a100());
  CHECK(knob(fit, "device.efficiency.attention.flash-2.half_length").after ==
        testing::about(700).epsilon(0.08));
}

TEST_CASE("without a mask short sequences lose less: every row sees twice the keys") {
  MeasuredAttention a{{64, 1024, 1024, 128, 128, 0.5}};
  Measurement causal;
  causal.work = a;
  a.shape.pairs = 1;
  Measurement full;
  full.work = a;
  const Seconds launches = a100().device.efficiency.launch * 2.0;
  const double ratio =
      (predicted_time(full, a100()) - launches) / (predicted_time(causal, a100()) - launches);
  CHECK(ratio > 1.4);
  CHECK(ratio < 1.9);
}

TEST_CASE("times that fall where bytes rise are refused beyond the noise alone") {
  MeasurementSet set;
  set.file = "t";
  for (const auto& [bytes, us] : {std::pair{1e6, 100.0}, std::pair{2e6, 80.0}}) {
    Measurement m;
    m.work = MeasuredCollective{Collective::all_reduce, 8, Bytes(bytes)};
    m.timed = {Seconds(us * 1e-6), 0};
    set.points.push_back(m);
  }
  CHECK_NOTHROW(check_rising(set));
  for (Measurement& m : set.points) m.timed.spread = 0.01;
  CHECK_THROWS(check_rising(set));
  set.points[1].timed = {Seconds(40e-6), 0};
  set.points[0].timed.spread = 0;
  CHECK_THROWS(check_rising(set));
}
