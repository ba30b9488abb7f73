// SPDX-License-Identifier: Apache-2.0
//
// Nodes that a job gets on a fabric, worked by hand on three pods of four.
#include "parallel/node_policy.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

using namespace orrery;

namespace {

using Nodes = std::vector<std::int64_t>;

constexpr FabricPods kThreePods{12, 4};

}  // namespace

TEST_CASE("each policy takes the nodes that its name says") {
  using enum NodePolicy;
  CHECK(nodes_by_policy({packed}, 5, kThreePods) == Nodes{0, 1, 2, 3, 4});
  CHECK(nodes_by_policy({rail_aligned}, 5, kThreePods) == Nodes{0, 1, 2, 3, 4});
  CHECK(nodes_by_policy({spread}, 5, kThreePods) == Nodes{0, 1, 4, 5, 8});
}

TEST_CASE("beside a job, packed nodes fill its pod and aligned ones begin their own") {
  using enum NodePolicy;
  const Nodes taken = {0, 1, 4};
  CHECK(nodes_by_policy({packed}, 5, kThreePods, taken) == Nodes{2, 3, 5, 6, 7});
  CHECK(nodes_by_policy({rail_aligned}, 5, kThreePods, taken) == Nodes{2, 8, 9, 10, 11});
  CHECK(nodes_by_policy({spread}, 5, kThreePods, taken) == Nodes{2, 3, 5, 6, 8});
  CHECK(nodes_by_policy({packed}, 12, kThreePods, taken).size() == 9);
}

TEST_CASE("random nodes are those of their seed, each as often as any other") {
  const auto drawn = [](std::uint64_t seed) {
    return nodes_by_policy({NodePolicy::random, seed}, 3, kThreePods, {7});
  };
  CHECK(drawn(1) == drawn(1));
  std::vector<int> times(12);
  constexpr int kDraws = 11000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const Nodes nodes = drawn(static_cast<std::uint64_t>(seed));
    CHECK(std::set(nodes.begin(), nodes.end()).size() == 3);
    for (const std::int64_t n : nodes) ++times[static_cast<std::size_t>(n)];
  }
  CHECK(times[7] == 0);
  // 3 of 11 nodes, 3,000 times of 11,000 each: five standard deviations are 233.
  for (std::size_t n = 0; n < times.size(); ++n) CHECK((n == 7 || std::abs(times[n] - 3000) < 233));
}
