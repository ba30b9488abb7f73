// SPDX-License-Identifier: Apache-2.0
// The time of a product from its tiles and waves, counted by hand, and the constants of a device
// that each multiply it.
#include <doctest/doctest.h>

#include <cmath>

#include "cost/beside.h"
#include "cost/memory_time.h"
#include "cost/product.h"
#include "cost/round_device.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kRate = 0.8e15;

// Seconds without the launch.
double compute(const ProductShape& p, const Device& d = compute_bound_device(),
               Precision precision = Precision::bf16) {
  return product_time<double>(p, d, precision).si() - 4e-6;
}

// A tile of 128 × 256 on each of 100 multiprocessors, over k and 100 to fill the pipeline.
double wave(double k) { return 2.0 * 128 * 256 * (k + 100) * 100 / kRate; }

doctest::Approx close(double x) { return about(x).epsilon(1e-9); }

Device with_loads(double load) {
  Device d = compute_bound_device();
  d.efficiency.tile_load = load;
  return d;
}

}  // namespace

// A fraction of a wave takes one; many take half a wave more than there are tiles, as rounding up
// does in the mean; √(W² + W + 1) has both limits.
TEST_CASE("waves are one at least, and half a wave more than the tiles fill") {
  CHECK(compute({128, 256, 512}) == about(wave(512)).epsilon(0.01));
  CHECK(compute({128 * 100, 256, 512}) == close(std::sqrt(3.0) * wave(512)));
  CHECK(compute({128 * 100, 256 * 4, 512}) == close(std::sqrt(21.0) * wave(512)));
  CHECK(compute({128 * 100, 256 * 10000, 512}) == about(10000.5 * wave(512)).epsilon(1e-7));
}

TEST_CASE("a side below a tile takes a whole one") {
  CHECK(compute({64, 256, 512}) == compute({128, 256, 512}));
  CHECK(compute({128, 64, 512}) == compute({128, 256, 512}));
  // Half of the rows of a hundred tiles are fifty tiles' worth of rows.
  CHECK(compute({128 * 50, 64, 512}) == close(std::sqrt(1.75) * wave(512)));
  CHECK(compute({64, 256 * 50, 512}) == close(std::sqrt(1.75) * wave(512)));
}

TEST_CASE("k costs what it is and what fills the pipeline") {
  CHECK(compute({128, 256, 1948}) > compute({128, 256, 1024}));
  CHECK(compute({12800, 256, 1024 * 4}) / compute({12800, 256, 1024}) == close(4196.0 / 1124));
}

TEST_CASE("groups of products fill waves together") {
  CHECK(compute({128, 256, 512, 100}) == close(std::sqrt(3.0) * wave(512)));
  CHECK(product_flops<double>({128, 256, 512, 100}).si() == 2.0 * 128 * 256 * 512 * 100);
  CHECK(product_flops<double>({3, 5, 7}).si() == 2.0 * 3 * 5 * 7);
}

TEST_CASE("groups of uneven rows lose half a tile each, at the rate of grouped kernels") {
  // 8 groups of 4 tiles of rows, √(16 + 4 + 1) tiles in the mean, one of columns.
  const double waves = 8 * std::sqrt(21.0) / 100;
  CHECK(compute({512, 256, 512, 8, true}) ==
        close(std::sqrt(waves * waves + waves + 1) * wave(512) / 0.5));
}

TEST_CASE("the constants of a device multiply the time of its products") {
  const ProductShape p{12800, 2560, 512};
  const double once = compute(p);
  Device d = compute_bound_device();
  d.efficiency.power_factor = 0.8;
  CHECK(compute(p, d) == close(once / 0.8));
  d = compute_bound_device();
  d.efficiency.gemm[Precision::bf16] = 0.4;
  CHECK(compute(p, d) == close(2 * once));
  CHECK(compute(p, d, Precision::fp16) == close(once));
  CHECK(compute(p, d, Precision::fp8) == close(once / 2));  // twice the peak
  CHECK(compute({12800, 2560, 512 + 8}) / compute({12800, 2560, 512}) == close(1.2 * 620 / 612));
  CHECK(compute({12800, 2560, 512 + 1}) / compute({12800, 2560, 512}) == close(1.65 * 613 / 612));
}

TEST_CASE("a launch adds to a product once, whichever of compute and memory binds") {
  Device d = compute_bound_device();
  d.efficiency.launch = Seconds(1);
  CHECK(product_time<double>({128, 256, 512}, d, Precision::bf16).si() ==
        close(1 + compute({128, 256, 512})));
  d.memory_bandwidth = BytesPerSecond(1);
  const double bytes = 2.0 * (128 * 512 + 512 * 256 + 128 * 256);
  CHECK(product_time<double>({128, 256, 512}, d, Precision::bf16).si() == close(1 + bytes / 0.9));
}

TEST_CASE("bytes of all groups count") {
  CHECK(product_bytes<double>({10, 20, 30, 7}, Precision::bf16).si() ==
        7 * 2.0 * (10 * 30 + 30 * 20 + 10 * 20));
}

// 128 × 256, then 128 × 128, then 64 × 128 if the tile is wider than high; the higher is halved
// otherwise.
TEST_CASE("tiles are halved twice along the longer side") {
  Device d = with_loads(1);
  const auto smallest = [&d] { return best_tile({64, 64, 512}, d, Precision::bf16); };
  CHECK(smallest().m == 128);
  CHECK(smallest().n == 64);
  d.efficiency.tile_m = 256;
  d.efficiency.tile_n = 128;
  CHECK(smallest().m == 128);
  CHECK(smallest().n == 64);
  d.efficiency.tile_m = 512;
  CHECK(smallest().m == 128);
  CHECK(smallest().n == 128);
  d.efficiency.tile_load = 0;
  CHECK(smallest().m == 512);
  CHECK(smallest().n == 128);
}

TEST_CASE("the fastest of the tiles counts") {
  for (const std::int64_t n : {64, 256, 1024, 4096, 16384}) {
    const ProductShape p{n, n, 4096};
    const Device d = with_loads(64);
    // The device with each of the three tiles as its only one.
    double least = 1e9;
    for (const auto& [m, cols] : {std::pair{128, 256}, {128, 128}, {128, 64}}) {
      Device one = compute_bound_device();
      one.efficiency.tile_m = m;
      one.efficiency.tile_n = cols;
      const double loads = 1 + 64 * (1.0 / m + 1.0 / cols);
      least = std::min(least, compute(p, one) * loads / (1 + 64 * (1.0 / 128 + 1.0 / 256)));
    }
    CAPTURE(n);
    CHECK(compute(p, d) == close(least));
  }
}

TEST_CASE("memory gives its bandwidth times what elementwise kernels attain") {
  const Device d = round_device();
  CHECK(attained_memory_bandwidth<double>(d).si() == about(0.9e12));
  CHECK(memory_time<double>(Bytes(9e12), d).si() == about(10));
}

TEST_CASE("a share of the time is lost beside traffic, and of memory what copies take") {
  CHECK(lost_beside(0.25, Seconds(8)) == Seconds(2));
  CHECK(lost_beside(0.0, Seconds(8)) == Seconds());
  Device d = round_device();
  d.host_link.bandwidth = BytesPerSecond(45e9);
  CHECK(slowdown_beside_copies(d) == about(0.05));
}
