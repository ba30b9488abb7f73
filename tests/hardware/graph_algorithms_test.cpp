// SPDX-License-Identifier: Apache-2.0
// Hops, components and flows, by hand and against trying everything on small random networks.
#include "hardware/topology/graph_algorithms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace orrery;

namespace {

struct Network {
  std::int32_t vertices = 0;
  std::vector<Ends> links;
  std::vector<std::int64_t> capacities;  // by arc

  ArcGraph graph() const { return {static_cast<std::size_t>(vertices), links}; }
};

Network random_network(std::mt19937& random) {
  const auto below = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  Network n;
  n.vertices = 2 + below(7);
  for (std::int32_t links = below(2 * n.vertices + 3); links > 0; --links) {
    const std::int32_t a = below(n.vertices);
    n.links.push_back({a, (a + 1 + below(n.vertices - 1)) % n.vertices});
    for (int way = 0; way < 2; ++way) n.capacities.push_back(below(3) == 0 ? 0 : below(20));
  }
  return n;
}

// The least capacity of all ways to part vertex 0 from vertex 1.
std::int64_t least_of_all_cuts(const Network& n) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t side = 1; side < (1U << n.vertices); side += 4) {  // bit 0 set, bit 1 not
    const auto inside = [&](std::int32_t v) { return ((side >> v) & 1U) != 0; };
    std::int64_t cut = 0;
    for (std::size_t l = 0; l < n.links.size(); ++l) {
      if (inside(n.links[l].a) && !inside(n.links[l].b)) cut += n.capacities[2 * l];
      if (inside(n.links[l].b) && !inside(n.links[l].a)) cut += n.capacities[2 * l + 1];
    }
    least = std::min(least, cut);
  }
  return least;
}

// Hops from every vertex to every other, by letting links shorten them until none does.
std::vector<std::vector<std::int32_t>> all_hops(const Network& n) {
  const auto size = static_cast<std::size_t>(n.vertices);
  constexpr std::int32_t kFar = 1000;
  std::vector hops(size, std::vector<std::int32_t>(size, kFar));
  for (std::size_t from = 0; from < size; ++from) {
    auto& h = hops[from];
    h[from] = 0;
    for (std::size_t round = 0; round < size; ++round) {
      for (const Ends& l : n.links) {
        auto& a = h[static_cast<std::size_t>(l.a)];
        auto& b = h[static_cast<std::size_t>(l.b)];
        a = std::min(a, b + 1);
        b = std::min(b, a + 1);
      }
    }
    std::replace(h.begin(), h.end(), kFar, kUnreached);
  }
  return hops;
}

}  // namespace

TEST_CASE("arcs of a vertex keep the order of the links") {
  const ArcGraph g(3, std::vector<Ends>{{2, 0}, {0, 1}, {1, 2}, {0, 1}});
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> heads;
  for (const ArcGraph::Arc& a : g.arcs_from(0)) {
    ids.push_back(a.id);
    heads.push_back(a.to);
    CHECK(g.tail_of(a.id) == 0);
    CHECK(g.head_of(a.id) == a.to);
  }
  CHECK(ids == std::vector<std::int32_t>{1, 2, 6});
  CHECK(heads == std::vector<std::int32_t>{2, 1, 1});
}

TEST_CASE("hops are those to the nearest start, and a vertex without a path has none") {
  // 0 - 1 - 2 - 3, 4 - 5, 6
  const ArcGraph g(7, std::vector<Ends>{{0, 1}, {1, 2}, {3, 2}, {5, 4}});
  const std::vector<std::int32_t> one = {0};
  CHECK(hops_from(g, one) ==
        std::vector<std::int32_t>{0, 1, 2, 3, kUnreached, kUnreached, kUnreached});
  const std::vector<std::int32_t> two = {0, 3};
  CHECK(hops_from(g, two) ==
        std::vector<std::int32_t>{0, 1, 1, 0, kUnreached, kUnreached, kUnreached});
  CHECK(hops_from(g, {}) == std::vector<std::int32_t>(7, kUnreached));
}

TEST_CASE("a vertex without links is a component") {
  const ArcGraph g(6, std::vector<Ends>{{4, 0}, {1, 5}, {0, 2}});
  CHECK(components_of(g) == std::vector<std::int32_t>{0, 1, 0, 2, 0, 1});
  CHECK(components_of(ArcGraph()).empty());
}

TEST_CASE("the flow of the textbook is 23") {
  // Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, 3rd ed., figure 26.6: s, t,
  // then v1 to v4.
  const std::vector<Ends> links = {{0, 2}, {0, 3}, {2, 4}, {3, 2}, {4, 3},
                                   {3, 5}, {5, 4}, {4, 1}, {5, 1}};
  const std::vector<std::int64_t> capacities = {16, 0,  13, 0, 12, 0,  4, 0, 9,
                                                0,  14, 0,  7, 0,  20, 0, 4, 0};
  CHECK(largest_flow(ArcGraph(6, links), capacities, 0, 1) == 23);
  CHECK(largest_flow(ArcGraph(6, links), capacities, 1, 0) == 0);
}

TEST_CASE("a flow of an exabyte a second does not overflow") {
  const std::vector<Ends> links = {{0, 2}, {0, 2}, {2, 1}, {2, 1}};
  const std::int64_t half = 500'000'000'000'000'000;
  const std::vector<std::int64_t> capacities(8, half / 2);
  CHECK(largest_flow(ArcGraph(3, links), capacities, 0, 1) == half);
}

TEST_CASE("the largest flow is the least of all cuts") {
  std::mt19937 random(46);
  for (int trial = 0; trial < 3000; ++trial) {
    const Network n = random_network(random);
    CAPTURE(trial);
    REQUIRE(largest_flow(n.graph(), n.capacities, 0, 1) == least_of_all_cuts(n));
  }
}

TEST_CASE("hops are the fewest, and a component is what hops reach") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const Network n = random_network(random);
    CAPTURE(trial);
    const auto hops = all_hops(n);
    const std::vector<std::int32_t> components = components_of(n.graph());
    for (std::int32_t v = 0; v < n.vertices; ++v) {
      const auto& from = hops[static_cast<std::size_t>(v)];
      REQUIRE(hops_from(n.graph(), {&v, 1}) == from);
      for (std::size_t u = 0; u < from.size(); ++u) {
        REQUIRE((components[u] == components[static_cast<std::size_t>(v)]) ==
                (from[u] != kUnreached));
      }
    }
  }
}
