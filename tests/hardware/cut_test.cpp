// SPDX-License-Identifier: Apache-2.0
// Cuts between sets of devices, by hand and against trying all on small random networks.
#include "hardware/topology/cut.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace orrery;

namespace {

constexpr BytesPerSecond kUnit{1e9};

TopologyGraph graph_with(std::int32_t gpus, std::int32_t switches) {
  TopologyGraph g;
  for (std::int32_t i = 0; i < gpus; ++i) add_vertex(g, "gpu", VertexKind::gpu);
  for (std::int32_t i = 0; i < switches; ++i) add_vertex(g, "switch", VertexKind::router);
  return g;
}

void link_units(TopologyGraph& g, std::int32_t a, std::int32_t b, double units) {
  add_link(g, a, b, kUnit * units);
}

ArcLoads every_arc(const TopologyGraph& g) { return ArcLoads(2 * g.links.size(), 1); }

double units_between(const TopologyGraph& g, const ArcLoads& usable, const Part& from,
                     const Part& to) {
  const Routes routes(g);
  return Cuts(routes, usable).between(from, to) / kUnit;
}

// The least of all ways to part the vertices with these on either side. Devices are the first
// vertices.
double least_cut_of_all(const TopologyGraph& g, const ArcLoads& usable, const Part& from,
                        const Part& to) {
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t side = 0; side < (1U << g.vertices.size()); ++side) {
    const auto inside = [&](std::int32_t v) { return ((side >> v) & 1U) != 0; };
    if (!std::all_of(from.begin(), from.end(), inside) ||
        std::any_of(to.begin(), to.end(), inside)) {
      continue;
    }
    double cut = 0;
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const TopologyLink& k = g.links[l];
      const double units = k.bandwidth / kUnit * static_cast<double>(k.count);
      if (inside(k.a) && !inside(k.b) && usable[2 * l] > 0) cut += units;
      if (inside(k.b) && !inside(k.a) && usable[2 * l + 1] > 0) cut += units;
    }
    least = std::min(least, cut);
  }
  return least;
}

}  // namespace

TEST_CASE("two switches joined by a thin link pass what the link does") {
  TopologyGraph g = graph_with(4, 2);
  for (const std::int32_t gpu : {0, 1}) link_units(g, gpu, 4, 10);
  for (const std::int32_t gpu : {2, 3}) link_units(g, gpu, 5, 10);
  link_units(g, 4, 5, 6);
  CHECK(units_between(g, every_arc(g), {0, 1}, {2, 3}) == 6);
  CHECK(units_between(g, every_arc(g), {0}, {1}) == 10);
  CHECK(units_between(g, every_arc(g), {0}, {1, 2, 3}) == 10);
  CHECK(units_between(g, every_arc(g), {1, 2}, {0, 3}) == 20);  // each by its own switch
  CHECK(units_between(g, every_arc(g), {0, 1, 2}, {3}) == 10);
}

TEST_CASE("a chain of cards and switches passes what its thinnest link does") {
  TopologyGraph g = graph_with(2, 4);
  link_units(g, 0, 2, 9);
  link_units(g, 2, 3, 5);
  link_units(g, 3, 4, 7);
  link_units(g, 4, 5, 4);
  link_units(g, 5, 1, 8);
  CHECK(units_between(g, every_arc(g), {0}, {1}) == 4);
  CHECK(units_between(g, every_arc(g), {1}, {0}) == 4);
}

TEST_CASE("several ways between leaves and spines add") {
  TopologyGraph g = graph_with(4, 4);  // leaves 4 and 5, spines 6 and 7
  for (const std::int32_t gpu : {0, 1}) link_units(g, gpu, 4, 10);
  for (const std::int32_t gpu : {2, 3}) link_units(g, gpu, 5, 10);
  link_units(g, 4, 6, 3);
  link_units(g, 6, 5, 2);
  link_units(g, 4, 7, 4);
  link_units(g, 7, 5, 8);
  CHECK(units_between(g, every_arc(g), {0, 1}, {2, 3}) ==
        6);  // 2 over the first, 4 over the second
}

TEST_CASE("direct links of the sets count beside the ways around") {
  TopologyGraph g = graph_with(3, 0);
  link_units(g, 0, 1, 5);
  link_units(g, 1, 2, 3);
  link_units(g, 0, 2, 4);
  CHECK(units_between(g, every_arc(g), {0}, {1}) == 8);
  CHECK(units_between(g, every_arc(g), {0}, {1, 2}) == 9);
}

TEST_CASE("an arc without a load carries nothing, and cables of a link add") {
  TopologyGraph g = graph_with(2, 1);
  add_link(g, 0, 2, kUnit, 4);
  add_link(g, 2, 1, kUnit, 3);
  CHECK(units_between(g, {1, 1, 1, 1}, {0}, {1}) == 3);
  CHECK(units_between(g, {1, 0, 1, 0}, {0}, {1}) == 3);
  CHECK(units_between(g, {1, 0, 1, 0}, {1}, {0}) == 0);
  CHECK(units_between(g, {0, 1, 1, 1}, {0}, {1}) == 0);
  CHECK(units_between(g, {0, 0, 0, 0}, {0}, {1}) == 0);
}

TEST_CASE("a cut is the least of all ways to part the sets") {
  std::mt19937 random(1970);
  const auto below = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  for (int trial = 0; trial < 2000; ++trial) {
    CAPTURE(trial);
    const std::int32_t gpus = 2 + below(5);
    const std::int32_t vertices = gpus + below(6);
    TopologyGraph g = graph_with(gpus, vertices - gpus);
    for (std::int32_t links = below(2 * vertices); links > 0; --links) {
      const std::int32_t a = below(vertices);
      add_link(g, a, (a + 1 + below(vertices - 1)) % vertices, kUnit * (1 + below(9)),
               1 + below(2));
    }
    ArcLoads usable = every_arc(g);
    for (double& load : usable) load = below(4) == 0 ? 0 : 1;
    Part from = {0};
    Part to = {1};
    for (std::int32_t d = 2; d < gpus; ++d) {
      const std::int32_t side = below(3);  // 2: between
      if (side < 2) (side == 0 ? from : to).push_back(d);
    }
    REQUIRE(units_between(g, usable, from, to) == least_cut_of_all(g, usable, from, to));
  }
}
