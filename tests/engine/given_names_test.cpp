// SPDX-License-Identifier: Apache-2.0
// Counts before a node's name; a name that begins with digits is no count.
#include "engine/given_names.h"

#include <doctest/doctest.h>

namespace orrery {
namespace {

void check(const char* text, const char* name, std::int64_t nodes, std::int64_t per_node) {
  CAPTURE(text);
  const CountedName c = counted_name(text);
  CHECK(c.name == name);
  CHECK(c.nodes == nodes);
  CHECK(c.per_node == per_node);
}

TEST_CASE("GPUs and nodes before a name are counts") {
  check("8xA100", "a100", 0, 8);
  check("8 x H100", "h100", 0, 8);
  check("4x4090", "4090", 0, 4);
  check("4 RTX 4090", "rtx 4090", 0, 4);
  check("8×H200", "h200", 0, 8);
  check("2x8xH100", "h100", 2, 8);
  check("2 nodes of 4 A100 PCIe", "a100 pcie", 2, 4);
  check("16 nodes of 8xH100", "h100", 16, 8);
  check("3 nodes H100", "h100", 3, 0);
}

TEST_CASE("a second number that no node has belongs to the name") {
  check("1x7900XTX", "7900xtx", 0, 1);
  check("2x1080Ti", "1080ti", 0, 2);
}

TEST_CASE("names without a count stay") {
  check("4090", "4090", 0, 0);
  check("p5", "p5", 0, 0);
  check("3090-nvlink", "3090-nvlink", 0, 0);
  check("dgx-h100", "dgx-h100", 0, 0);
  check("", "", 0, 0);
}

}  // namespace
}  // namespace orrery
