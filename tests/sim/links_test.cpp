// SPDX-License-Identifier: Apache-2.0
#include "sim/links.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

#include "support/about.h"

using namespace orrery;

namespace {

// Plays until nothing is left; when each flow ended.
std::map<std::uint32_t, double> ends_of(EventQueue& queue, SharedLinks& links) {
  std::map<std::uint32_t, double> ends;
  while (!queue.empty()) {
    const Event e = queue.pop();
    if (ends.count(e.what) != 0 || !links.ends(e.what, e)) continue;
    ends[e.what] = e.time;
    links.finish(Seconds(e.time), e.what);
  }
  return ends;
}

using Two = std::array<std::uint32_t, 2>;
using One = std::array<std::uint32_t, 1>;

}  // namespace

TEST_CASE("a flow alone takes its time, to the bit") {
  EventQueue queue;
  SharedLinks links(queue, 0);
  const std::uint32_t l = links.add_link();
  const double start = 0.1;
  const double time = 0.7;
  const std::uint32_t f = links.start(Seconds(start), Seconds(time), 1, One{l});
  CHECK(ends_of(queue, links)[f] == start + time);
  CHECK(links.busy(l).si() == testing::about(0.7));
}

TEST_CASE("two that want all of a link take twice as long, and then the rest in peace") {
  EventQueue queue;
  SharedLinks links(queue, 0);
  const std::uint32_t l = links.add_link();
  const std::uint32_t a = links.start(Seconds(0), Seconds(1), 1, One{l});
  const std::uint32_t b = links.start(Seconds(0), Seconds(3), 1, One{l});
  const auto ends = ends_of(queue, links);
  CHECK(ends.at(a) == testing::about(2));
  CHECK(ends.at(b) == testing::about(4));
  CHECK(links.busy(l).si() == testing::about(4));
}

TEST_CASE("who wants less than its share is not held up") {
  EventQueue queue;
  SharedLinks links(queue, 0);
  const std::uint32_t l = links.add_link();
  const std::uint32_t modest = links.start(Seconds(0), Seconds(1), 0.25, One{l});
  const std::uint32_t greedy = links.start(Seconds(0), Seconds(1), 1, One{l});
  const auto ends = ends_of(queue, links);
  CHECK(ends.at(modest) == 1);
  CHECK(ends.at(greedy) == testing::about(1 + 0.25));
}

TEST_CASE("max-min over two links: what one flow cannot use another takes") {
  EventQueue queue;
  SharedLinks links(queue, 0);
  const std::uint32_t x = links.add_link();
  const std::uint32_t y = links.add_link();
  const std::uint32_t both = links.start(Seconds(0), Seconds(3), 1, Two{x, y});
  const std::uint32_t on_x1 = links.start(Seconds(0), Seconds(3), 1, One{x});
  const std::uint32_t on_x2 = links.start(Seconds(0), Seconds(3), 1, One{x});
  const std::uint32_t on_y = links.start(Seconds(0), Seconds(6), 1, One{y});
  // x: a third each until 9. y: two thirds are left for on_y, so it ends at 9 as well.
  const auto ends = ends_of(queue, links);
  CHECK(ends.at(both) == testing::about(9));
  CHECK(ends.at(on_x1) == testing::about(9));
  CHECK(ends.at(on_x2) == testing::about(9));
  CHECK(ends.at(on_y) == testing::about(9));
}

TEST_CASE("flows elsewhere notice nothing") {
  EventQueue queue;
  SharedLinks links(queue, 0);
  const std::uint32_t x = links.add_link();
  const std::uint32_t y = links.add_link();
  const std::uint32_t far = links.start(Seconds(0), Seconds(1.1), 1, One{y});
  links.start(Seconds(0), Seconds(1), 1, One{x});
  links.start(Seconds(0.5), Seconds(1), 1, One{x});
  CHECK(links.rate_changes() == 2);
  CHECK(ends_of(queue, links)[far] == 1.1);
}
