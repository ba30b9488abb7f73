// SPDX-License-Identifier: Apache-2.0
#include "capacity/materials.h"

#include <doctest/doctest.h>

#include <string>

#include "capacity/capacity.h"
#include "capacity/shipped_plans.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::answered;

const MaterialLine& line_of(const OptionAnswer& o, const std::string& item) {
  for (const MaterialLine& line : o.materials) {
    if (line.item == item) return line;
  }
  FAIL("no line " << item);
  return o.materials.front();
}

std::int64_t count_of(const OptionAnswer& o, const std::string& item) {
  return std::get<std::int64_t>(line_of(o, item).amount);
}

const std::string kTraining = R"("run": "llama-3-8b-8-h100", "goal": {"tokens": 1e9}, "spares": 1,
    "set": {"parallel": {"tp": 2, "pp": 2}, "training.global_batch": 1152,
            "training.precision": "bf16"},)";

// 144 GPUs and a spare tray are three racks of 18 hosts with four ports each: 216 ports. A rail of
// 54 hosts takes two leaves of 32, so that there are eight, and four spines of 64 ports.
TEST_CASE("racks are bought whole, with the spare tray in one of them") {
  const auto a = answered("{" + kTraining + R"("materials": "rail-optimised",
      "scenarios": [{"name": "x", "cluster": {"node": "gb200-nvl72"}, "gpus": 144}]})");
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  CHECK(count_of(o, "gb200-nvl72 (rack)") == 3);
  CHECK(count_of(o, "racks of GPUs") == 3);
  CHECK(count_of(o, "network ports of hosts") == 216);
  CHECK(count_of(o, "qm9700 (leaf)") == 8);
  CHECK(count_of(o, "qm9700 (spine)") == 4);
  CHECK(std::get<Watts>(line_of(o, "nodes, rated power").amount) ==
        o.inputs.cluster.node_power * 3.0);
}

// 17 nodes of 10.2 kW: three in 40 kW, so six racks. A price of a switch fills its line.
TEST_CASE("racks follow from power, sums from prices") {
  const auto a = answered("{" + kTraining + R"(
      "materials": {"topology": "fat-tree", "switch": {"name": "mine", "kind": "infiniband",
          "modes": [{"ports": 32, "rate": "400 Gb/s"}], "power": "500 W"}, "rack_power": "40 kW"},
      "prices": {"parts": {"mine": "1000 USD"}},
      "scenarios": [{"name": "x", "cluster": {"node": "dgx-h100"}, "gpus": 128}]})");
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  CHECK(count_of(o, "dgx-h100 (node)") == 17);
  CHECK(count_of(o, "racks of nodes") == 6);
  // 136 ports on nine leaves of 16; 144 links up on eight spines, since 16 does not divide by five.
  CHECK(count_of(o, "mine (leaf)") == 9);
  CHECK(count_of(o, "mine (spine)") == 8);
  CHECK(count_of(o, "ends of links") == 2 * (136 + 144));
  CHECK(sum_of(o.materials)->amount() == testing::about(17'000.0));
  CHECK(std::get<Watts>(line_of(o, "switches, power").amount).si() == testing::about(17 * 500.0));
  CHECK(std::get<Watts>(line_of(o, "heat to remove").amount).si() ==
        testing::about(17 * (10'200.0 + 500)));
}

// Nobody says how many nodes a rack takes, and no switch of Slingshot is known: blanks that ask.
TEST_CASE("a count that nobody gave stays blank") {
  const auto a = answered("{" + kTraining + R"("materials": "rail-only",
      "scenarios": [{"name": "x", "cluster": {"node": "frontier-mi250x"}, "gpus": 128}]})");
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.status == OptionStatus::fits);
  for (const char* const item : {"racks of nodes", "switches", "lead time"}) {
    CHECK(std::holds_alternative<std::monostate>(line_of(o, item).amount));
  }
}

// All devices at their rated power, then at half of it: 8 · (1 − 0.5) · 700 W, times PUE 1.2.
TEST_CASE("the swing of a step is from computing to waiting") {
  const auto a = answered(R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e9},
      "energy": {"load": {"compute": 1, "memory": 0.7, "waiting": 0.5, "idle": 0.1}, "pue": 1.2}})");
  CHECK(a->answer.options[0].outcome.energy.swing.si() == testing::about(8 * 0.5 * 700 * 1.2));
}

}  // namespace
}  // namespace orrery
