// SPDX-License-Identifier: Apache-2.0
#include "sim/event_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace orrery;

namespace {

// Pushes and pops as `gap` says, beside a sorted list; all that comes out must be in its order.
template <class Gap>
void check_against_sorting(std::size_t pending, std::size_t pops, Gap&& gap) {
  EventQueue queue;
  std::vector<Event> in;
  std::vector<Event> out;
  const auto push = [&](double time) {
    const std::uint32_t order = queue.push(time, static_cast<std::uint32_t>(in.size()));
    in.push_back({time, order, static_cast<std::uint32_t>(in.size())});
  };
  for (std::size_t i = 0; i < pending; ++i) push(gap());
  for (std::size_t i = 0; i < pops; ++i) {
    const Event e = queue.pop();
    out.push_back(e);
    push(e.time + gap());
  }
  while (!queue.empty()) out.push_back(queue.pop());
  std::sort(in.begin(), in.end(), comes_before);
  REQUIRE(in.size() == out.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    wrong += in[i].order == out[i].order && in[i].time == out[i].time ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("events come out by time, and in the order they were put in where times are equal") {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> exponential(1);
  std::uniform_int_distribution<int> few(0, 3);
  for (const std::size_t pending : {1U, 2U, 17U, 193U, 4096U, 50000U}) {
    CAPTURE(pending);
    const std::size_t pops = 3 * pending + 1000;
    check_against_sorting(pending, pops, [&] { return exponential(random); });
    check_against_sorting(pending, pops, [&] { return std::floor(4 * exponential(random)); });
    check_against_sorting(pending, pops, [&] { return static_cast<double>(few(random)); });
    check_against_sorting(pending, pops, [] { return 0.0; });
    // Times of very different size: a few far away, most close together.
    check_against_sorting(pending, pops, [&] { return std::exp(12 * exponential(random)); });
    check_against_sorting(pending, pops, [&] { return few(random) == 0 ? 1e6 : 1e-6; });
  }
}

TEST_CASE("a queue that was emptied begins anew") {
  EventQueue queue;
  for (int i = 0; i < 1000; ++i) queue.push(i % 7, 0);
  queue.clear();
  CHECK(queue.empty());
  queue.push(2, 5);
  queue.push(1, 6);
  CHECK(queue.pop().what == 6);
  CHECK(queue.pop().what == 5);
  CHECK(queue.empty());
}
