// SPDX-License-Identifier: Apache-2.0
//
// Order statistics of the slowest rank, where samples are of several sizes.
#include "model/buckets.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/documents.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

using Two = std::array<double, 2>;

double mean_time(const std::vector<double>& shares, const auto& times) {
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] * times[i];
  return sum;
}

}  // namespace

TEST_CASE("buckets: the slowest of n ranks is fast only where all are") {
  for (const std::int64_t n : {1, 2, 8, 64}) {
    CAPTURE(n);
    const double all_fast = std::pow(0.75, static_cast<double>(n));
    const std::vector<double> w = slowest_shares(Two{0.75, 0.25}, Two{1, 3}, n, 1);
    CHECK(w[0] == about(all_fast));
    CHECK(w[1] == about(1 - all_fast));
  }
}

TEST_CASE("buckets: three of two ranks, by the square of their distribution, in any order") {
  // F = 0.2, 0.5, 1: 0.04, 0.25, 1.
  const std::vector<double> w =
      slowest_shares(std::array{0.5, 0.2, 0.3}, std::array{9.0, 1.0, 2.0}, 2, 1);
  CHECK(w[0] == about(0.75));
  CHECK(w[1] == about(0.04));
  CHECK(w[2] == about(0.21));
}

TEST_CASE("buckets: ranks that meet after two micro batches wait for the larger sum") {
  // Sums 2, 4, 6 with 1/4, 1/2, 1/4; of two ranks the largest has 1/16, 1/2, 7/16.
  const std::vector<double> w = slowest_shares(Two{0.5, 0.5}, Two{1, 3}, 2, 2);
  CHECK(w[1] == about(0.5 * 0.5 + 7.0 / 16));
  CHECK(2 * mean_time(w, Two{1, 3}) == about(2.0 / 16 + 4.0 / 2 + 6 * 7.0 / 16));
}

TEST_CASE("buckets: one rank, or buckets as slow as each other, wait for nobody") {
  CHECK(slowest_shares(Two{0.3, 0.7}, Two{1, 5}, 1, 4) == std::vector<double>{0.3, 0.7});
  CHECK(slowest_shares(Two{0.3, 0.7}, Two{5, 5}, 512, 1) == std::vector<double>{0.3, 0.7});
}

TEST_CASE("buckets: more ranks wait longer, more micro batches between waits less") {
  const std::vector<double> times = {1, 2, 3, 4, 6, 8, 11, 15};
  const std::vector<double> shares(8, 1.0 / 8);
  double before = 0;
  for (const std::int64_t ranks : {1, 2, 16, 256}) {
    const double mean = mean_time(slowest_shares(shares, times, ranks, 3), times);
    CHECK(mean > before);
    before = mean;
  }
  before = 15;
  for (const std::int64_t draws : {1, 2, 4, 16, 256}) {
    const double mean = mean_time(slowest_shares(shares, times, 16, draws), times);
    CHECK(mean < before);
    before = mean;
  }
  CHECK(before > mean_time(shares, times));
}

TEST_CASE("buckets: the tilt of many sums is near the count of few") {
  const Two shares{0.5, 0.5};
  const Two times{1, 2};
  // More than 512 draws are taken as normal.
  const double counted = mean_time(slowest_shares(shares, times, 64, 512), times);
  const double normal = mean_time(slowest_shares(shares, times, 64, 513), times);
  CHECK(normal == about(counted).epsilon(1e-3));
}

TEST_CASE("buckets: samples of a micro batch are the mean of the buckets'") {
  Buckets b;
  b.count = 2;
  b.bins[0] = {256, 32, 0.25};
  b.bins[1] = {1024, 0, 0.75};
  CHECK(samples_factor(b) == 1);
  b.micro_batch = 8;
  CHECK(samples_factor(b) == about(0.25 * 4 + 0.75));
}
