// SPDX-License-Identifier: Apache-2.0
//
// Golden numbers: the tables of components of NVIDIA's reference architectures
// (docs.nvidia.com/dgx-superpod), read on 2026-11-29.
#include "capacity/fabric_count.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace orrery {
namespace {

struct Published {
  std::int64_t nodes, leaves, spines, cores, host_links, leaf_links, core_links;
};

void check(const FabricCount& c, const Published& p) {
  CAPTURE(p.nodes);
  CHECK(c.fits);
  CHECK(c.leaves == p.leaves);
  CHECK(c.spines == p.spines);
  CHECK(c.cores == p.cores);
  CHECK(c.host_links == p.host_links);
  CHECK(c.leaf_links == p.leaf_links);
  CHECK(c.core_links == p.core_links);
}

FabricCount rails(std::int64_t nodes, std::int64_t ports, std::int64_t planes = 1) {
  return count_fabric({nodes, 8}, ports, {FabricTopology::rail_optimised, planes, 1});
}

// DGX SuperPOD with DGX B200: eight ports a node, switches of 64 ports of 400 Gb/s.
TEST_CASE("switches and links of a SuperPOD of B200") {
  constexpr std::array kTable = {Published{64, 16, 8, 0, 512, 512, 0},
                                 Published{128, 32, 16, 0, 1024, 1024, 0},
                                 Published{256, 64, 32, 0, 2048, 2048, 0},
                                 Published{512, 128, 128, 64, 4096, 4096, 4096},
                                 Published{1024, 256, 256, 128, 8192, 8192, 8192},
                                 Published{2048, 512, 512, 256, 16384, 16384, 16384}};
  for (const Published& p : kTable) check(rails(p.nodes, 64), p);
}

// DGX SuperPOD with DGX B300: a port of 800 Gb/s is two of 400 Gb/s, and a switch of 64 ports 128
// of those. The table counts cables, each of which holds two links.
TEST_CASE("switches and links of a SuperPOD of B300 in two planes") {
  constexpr std::array kTable = {Published{64, 16, 8, 0, 512, 512, 0},
                                 Published{256, 64, 32, 0, 2048, 2048, 0},
                                 Published{1024, 256, 128, 0, 8192, 8192, 0}};
  for (const Published& p : kTable) {
    FabricCount c = rails(p.nodes, 128, 2);
    c.host_links /= 2;
    c.leaf_links /= 2;
    check(c, p);
  }
}

// DGX SuperPOD with DGX B300 and XDR: switches of 144 ports. 16 and 32 spines would do for 32 and
// 64 leaves, but the 72 links of a leaf divide by 18 and 36.
TEST_CASE("a leaf has as many links to each spine") {
  constexpr std::array kTable = {
      Published{72, 8, 4, 0, 576, 576, 0}, Published{144, 16, 8, 0, 1152, 1152, 0},
      Published{288, 32, 18, 0, 2304, 2304, 0}, Published{576, 64, 36, 0, 4608, 4608, 0},
      Published{1296, 144, 72, 0, 10368, 10368, 0}};
  for (const Published& p : kTable) check(rails(p.nodes, 144), p);
}

// 64 nodes are 64 ports of each rail: one switch of 64 ports a rail, and no spine.
TEST_CASE("networks of one rail each need no spine where a switch holds all nodes") {
  const FabricCount c = count_fabric({64, 8}, 64, {FabricTopology::rail_only, 1, 1});
  check(c, {64, 8, 0, 0, 512, 0, 0});
  // 65 nodes: three leaves of 32 ports down a rail, whose 96 links up take two spines.
  check(count_fabric({65, 8}, 64, {FabricTopology::rail_only, 1, 1}),
        {65, 24, 16, 0, 520, 24 * 32, 0});
}

// 40 nodes of 8 ports: 320 ports on 10 leaves of a fat tree, where rails leave leaves half empty.
TEST_CASE("a fat tree fills its leaves, rails do not") {
  CHECK(count_fabric({40, 8}, 64, {FabricTopology::fat_tree, 1, 1}).leaves == 10);
  CHECK(rails(40, 64).leaves == 16);
  CHECK(count_fabric({8, 8}, 64, {FabricTopology::fat_tree, 1, 1}).leaves == 1);
}

// 3 to 1: 48 ports down and 16 up; 128 nodes × 8 ports on 24 leaves of rails, 384 links up.
TEST_CASE("oversubscription takes links from above the leaves") {
  const FabricCount c = count_fabric({128, 8}, 64, {FabricTopology::rail_optimised, 1, 3});
  CHECK(c.leaves == 24);
  CHECK(c.leaf_links == 24 * 16);
  CHECK(c.spines == 8);  // 6 would hold the links, 16 of a leaf divide by 8
}

TEST_CASE("three tiers reach a quarter of the ports' cube") {
  CHECK(count_fabric({8192, 8}, 64, {FabricTopology::fat_tree, 1, 1}).fits);
  CHECK_FALSE(count_fabric({8193, 8}, 64, {FabricTopology::fat_tree, 1, 1}).fits);
}

}  // namespace
}  // namespace orrery
