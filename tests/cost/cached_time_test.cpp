// SPDX-License-Identifier: Apache-2.0
// Bytes that the kernel before left in the shared cache, computed by hand.
#include "cost/cached_time.h"

#include <doctest/doctest.h>

#include "cost/memory_time.h"
#include "support/about.h"

using namespace orrery;

namespace {

// 2 TB/s of memory, and a cache of 50 MB at 10 TB/s.
Device cached_device() {
  Device d;
  d.memory_bandwidth = BytesPerSecond(2e12);
  d.cache = {Bytes(50e6), BytesPerSecond(10e12)};
  return d;
}

double us(const Device& d, double bytes, double kernels = 1) {
  return cached_time<double>(Bytes(bytes), kernels, d).si() * 1e6;
}

}  // namespace

TEST_CASE("half of as many bytes as the cache takes come from it") {
  CHECK(us(cached_device(), 50e6) == testing::about(0.5 * 5 + 0.5 * 25));
  CHECK(us(cached_device(), 5e6) == testing::about(0.5).epsilon(1e-6));
  // Twice as many: 1/(1 + 2⁸).
  CHECK(us(cached_device(), 100e6) == testing::about(10.0 / 257 + 50 * 256.0 / 257));
}

TEST_CASE("kernels of a chain find what the one before each wrote") {
  // Four kernels of 50 MB find half of it, where one of 200 MB finds nearly nothing.
  CHECK(us(cached_device(), 200e6, 4) == testing::about(4 * (0.5 * 5 + 0.5 * 25)));
  CHECK(us(cached_device(), 200e6) > 99);
}

TEST_CASE("more bytes never take less time, and a cache never more than memory") {
  const Device d = cached_device();
  for (double bytes = 1e5; bytes < 1e10; bytes *= 1.05) {
    CHECK(us(d, bytes * 1.05) > us(d, bytes));
    CHECK(us(d, bytes) <= memory_time<double>(Bytes(bytes), d).si() * 1e6);
  }
}

TEST_CASE("memory that is faster than the cache serves all bytes") {
  Device d = cached_device();
  d.memory_bandwidth = BytesPerSecond(12e12);
  CHECK(us(d, 12e6) == testing::about(1));
  d.cache = {};
  CHECK(us(d, 24e6) == testing::about(2));
}
