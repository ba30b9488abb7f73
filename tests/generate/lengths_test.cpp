// SPDX-License-Identifier: Apache-2.0
#include "generate/lengths.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/about.h"

using namespace orrery;
using orrery::testing::about;

namespace {

double mean_of_list(const std::vector<std::int64_t>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

}  // namespace

TEST_CASE("quantiles of the normal distribution are those of its tables") {
  CHECK(normal_quantile(0.5) == about(0));
  CHECK(normal_quantile(0.975) == about(1.959963985).epsilon(1e-8));
  CHECK(normal_quantile(0.001) == about(-3.090232306).epsilon(1e-8));
}

TEST_CASE("lengths have the mean that was asked for, the cap and the mass at it") {
  const AnswerLengths a{6369, LengthShape::lognormal, 0.5, 8192, 0.476, {}};
  const auto all = lengths_of(a, 1000);
  CHECK(mean_of_list(all) == about(6369).epsilon(1e-3));
  CHECK(all.back() == 8192);
  CHECK(std::count(all.begin(), all.end(), 8192) >= 476);
  CHECK(std::is_sorted(all.begin(), all.end()));
}

TEST_CASE("a lognormal body has its spread") {
  const auto all = lengths_of({1000, LengthShape::lognormal, 0.5, 0, 0, {}}, 20000);
  const double mean = mean_of_list(all);
  double squares = 0;
  for (const std::int64_t x : all)
    squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  CHECK(std::sqrt(squares / 20000) / mean == about(0.5).epsilon(0.02));
}

TEST_CASE("a list is its own distribution") {
  AnswerLengths a;
  a.listed = {30, 10, 20};
  CHECK(mean_of(a) == about(20));
  CHECK(lengths_of(a, 6) == std::vector<std::int64_t>{10, 10, 20, 20, 30, 30});
}

TEST_CASE("dealing keeps every length") {
  std::vector<std::int64_t> sorted(97);
  std::iota(sorted.begin(), sorted.end(), 1);
  auto all = dealt(sorted);
  CHECK(all != sorted);
  std::sort(all.begin(), all.end());
  CHECK(all == sorted);
}
