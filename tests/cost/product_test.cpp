// SPDX-License-Identifier: Apache-2.0
//
// Products: the limits of the roofline, and time that rises smoothly with work.
#include "cost/product.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "cost/round_device.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Seconds time(std::int64_t m, std::int64_t n, std::int64_t k, const Device& d = round_device()) {
  return product_time<double>({m, n, k}, d, Precision::bf16);
}

// NVIDIA's chart of cuBLAS fp16 products on A100, n × n × n, in TFLOP/s
// (validation/measurements/gemm-a100-cublas-fp16.csv): rms of ln(predicted/charted), each over its
// own value at 8192, which leaves the rate of large products out.
double off_the_chart(double load) {
  constexpr std::array<std::array<double, 2>, 12> kChart = {{{512, 28},
                                                             {768, 64},
                                                             {1024, 89},
                                                             {1280, 152},
                                                             {1536, 150},
                                                             {1792, 202},
                                                             {2048, 195},
                                                             {2304, 245},
                                                             {3072, 235},
                                                             {4096, 258},
                                                             {5632, 282},
                                                             {8192, 291}}};
  Device d = round_device();
  d.peak.values.fill(FlopsPerSecond(312e12));
  d.memory_bandwidth = BytesPerSecond(2039e9);
  d.multiprocessors = 108;
  d.efficiency.k_fill = 105;
  d.efficiency.tile_load = load;
  const auto rate = [&d](double n) {
    const auto size = static_cast<std::int64_t>(n);
    return 2 * n * n * n / time(size, size, size, d).si();
  };
  double sum = 0;
  for (const auto& [n, charted] : kChart) {
    sum += std::pow(std::log(rate(n) / rate(8192) / (charted / 291)), 2);
  }
  return std::sqrt(sum / kChart.size());
}

}  // namespace

TEST_CASE("a large product runs at the attained rate") {
  const std::int64_t n = 1 << 15;
  const double ideal = 2.0 * 32768 * 32768 * 32768 / (1e15 * 0.8);
  CHECK(time(n, n, n).si() > ideal);
  CHECK(time(n, n, n).si() < ideal * 1.03);
}

TEST_CASE("a thin product runs at the memory's rate") {
  const double bytes = 2.0 * (32768 * 64 + 64 * 32768 + 32768.0 * 32768);
  CHECK(time(32768, 32768, 64).si() == testing::about(bytes / 0.9e12 + 4e-6));
}

TEST_CASE("a small product takes a wave and a launch") {
  const double wave = 2.0 * 128 * 256 * (512 + 100) * 100 / (1e15 * 0.8);
  CHECK(time(128, 256, 512).si() == testing::about(wave + 4e-6).epsilon(0.01));
  CHECK(time(64, 64, 512).si() == testing::about(wave + 4e-6).epsilon(0.01));
}

TEST_CASE("a small tile loads more for every multiply-add") {
  Device d = round_device();
  d.efficiency.tile_load = 64;
  const OutputTile tile = best_tile({64, 64, 512}, d, Precision::bf16);
  REQUIRE(tile.m * tile.n == 128 * 64);
  const double wave = 2.0 * 128 * 64 * (512 + 100) * 100 / (1e15 * 0.8);
  const double loads = (1 + 64 * (1.0 / 128 + 1.0 / 64)) / (1 + 64 * (1.0 / 128 + 1.0 / 256));
  CHECK(time(64, 64, 512, d).si() == testing::about(wave * loads + 4e-6).epsilon(0.01));
}

TEST_CASE("time rises with every size, and never faster than the size") {
  Device d = round_device();
  SUBCASE("one tile") { d.efficiency.tile_load = 0; }
  SUBCASE("a choice of tiles") { d.efficiency.tile_load = 64; }
  std::mt19937 random(3);
  const auto size = [&random] { return 64 * static_cast<std::int64_t>(1 + random() % 512); };
  for (int i = 0; i < 20000; ++i) {
    std::array<std::int64_t, 3> s = {size(), size(), size()};
    const double before = time(s[0], s[1], s[2], d).si();
    std::int64_t& grown = s[random() % 3];
    const double share = 64.0 / static_cast<double>(grown);
    grown += 64;
    const double after = time(s[0], s[1], s[2], d).si();
    CHECK(after >= before);
    CHECK(after <= before * (1 + share) * (1 + 1e-12));
    grown = 2 * (grown - 64);
    const double twice = time(s[0], s[1], s[2], d).si();
    CHECK(twice >= after);
    CHECK(twice <= 2 * before);
  }
}

// Round the corner of a full wave: 100 tiles, 101 tiles.
TEST_CASE("one tile more than a wave costs no step") {
  for (std::int64_t tiles = 1; tiles < 1000; ++tiles) {
    const double here = time(128 * tiles, 256, 4096).si();
    const double next = time(128 * (tiles + 1), 256, 4096).si();
    CHECK(next >= here);
    CHECK(next - here < 0.02 * time(128 * 100, 256, 4096).si());
  }
}

TEST_CASE("the choice among tiles gives what is measured of small products") {
  CHECK(off_the_chart(64) < 0.10);
  CHECK(off_the_chart(0) > 0.30);
}

TEST_CASE("a product takes a smaller tile where that fills the device better") {
  Device d = round_device();
  const auto tile = [&d](std::int64_t m, std::int64_t n) {
    return best_tile({m, n, 4096}, d, Precision::bf16);
  };
  CHECK(tile(1024, 1024).n == 256);
  d.efficiency.tile_load = 64;
  CHECK(tile(1024, 1024).m * tile(1024, 1024).n == 64 * 128);
  CHECK(tile(32768, 32768).n == 256);
  Seconds before{};
  for (std::int64_t n = 64; n < 20000; n += 64) {
    const Seconds now = time(4096, n, 4096, d);
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("dimensions that do not fit cost a factor of their own") {
  const auto factor = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return misalignment({m, n, k}, round_device().efficiency);
  };
  CHECK(factor(4096, 4096, 4096) == 1);
  CHECK(factor(4096, 4096, 4096 + 8) == 1.2);
  CHECK(factor(4096, 4096 + 32, 4096) == 1.2);
  CHECK(factor(4096, 4096 + 1, 4096) == 1.65);
  CHECK(factor(4096, 4096 + 4, 4096 + 8) == 1.65);
}

// Row-major X (tokens × in), W (out × in), Y (tokens × out): no matrix is contiguous along its
// tokens, in neither of the three products.
TEST_CASE("the number of tokens is no matter of alignment") {
  const DeviceEfficiency e = round_device().efficiency;
  CHECK(misalignment({37, 4096, 4096}, e) == 1);
  CHECK(misalignment({4096, 4096, 37, 1, false, true}, e) == 1);
  CHECK(misalignment({4096 + 8, 4096, 37, 1, false, true}, e) == 1.2);
  CHECK(misalignment({37, 4096, 4096, 8, true}, e) == 1);
  CHECK(misalignment({4096, 4096, 37, 8, true, true}, e) == 1);
  CHECK(misalignment({37, 4096 + 8, 4096, 8, true}, e) == 1.2);
  CHECK(misalignment({4096, 4096, 4096 + 1, 8, true}, e) == 1.65);
}

TEST_CASE("grouped products run at their rate, and more rows or groups never take less time") {
  const Device d = round_device();
  const auto grouped = [&d](std::int64_t rows, std::int64_t groups) {
    return product_time<double>({rows, 8192, 8192, groups, true}, d, Precision::bf16).si();
  };
  const double dense = time(8 * 8192, 8192, 8192).si();
  CHECK(grouped(8192, 8) > dense / 0.5);
  CHECK(grouped(8192, 8) < dense / 0.5 * 1.02);
  for (std::int64_t rows = 1; rows < 600; ++rows) {
    CHECK(grouped(rows + 1, 8) >= grouped(rows, 8));
    CHECK(grouped(rows, 9) >= grouped(rows, 8));
  }
}

TEST_CASE("bytes are those of the formats") {
  const ProductShape p{1000, 2000, 3000};
  const double in = 1000.0 * 3000 + 3000.0 * 2000;
  const double out = 1000.0 * 2000;
  CHECK(product_bytes<double>(p, Precision::fp32).si() == 4 * in + 4 * out);
  CHECK(product_bytes<double>(p, Precision::bf16).si() == 2 * in + 2 * out);
  CHECK(product_bytes<double>(p, Precision::fp8).si() == in + 2 * out);
}

TEST_CASE("more peak, efficiency, bandwidth or power never hurts") {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t m = 1 + static_cast<std::int64_t>(random() % 9000);
    const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 9000);
    const std::int64_t k = 1 + static_cast<std::int64_t>(random() % 9000);
    Device better = round_device();
    const double factor = 1 + static_cast<double>(random() % 100) / 50;
    switch (random() % 4) {
      case 0:
        better.peak.values.fill(FlopsPerSecond(1e15 * factor));
        break;
      case 1:
        better.efficiency.gemm.values.fill(0.8 * factor);
        break;
      case 2:
        better.memory_bandwidth = BytesPerSecond(1e12 * factor);
        break;
      default:
        better.efficiency.power_factor = factor;
    }
    CHECK(time(m, n, k, better) <= time(m, n, k));
  }
}
