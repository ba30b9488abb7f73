// SPDX-License-Identifier: Apache-2.0
//
// Racks and nodes that a job does not fill: what is paid, what draws power.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "capacity/capacity.h"
#include "capacity/shipped_plans.h"
#include "support/about.h"

namespace orrery {

using testing::answered;

TEST_CASE("a rack is spared and powered by its trays, and bought whole") {
  const auto option = [](const std::string& price) {
    return answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 1e9}, "spares": 1,
        "scenarios": [{"name": "rack", "cluster": {"node": "gb200-nvl72"}, "gpus": 32,
                       "set": {"parallel": {"tp": 8, "pp": 4}, "training.precision": "bf16"}}],)" +
                    price + "}");
  };
  const auto rented = option(R"("prices": {"gpus": {"gb200": {"rent": {"value": "3 USD/h",
      "source": "s", "date": "2026-11"}}}})");
  const OptionAnswer& r = rented->answer.options[0];
  REQUIRE(r.status == OptionStatus::fits);
  CHECK(devices_of_system(r.inputs.cluster) == 4);
  CHECK(paid_gpus(r.inputs) == 36);
  CHECK(r.outcome.cost->amount() ==
        testing::about(3 * 36 * r.outcome.wall.si() / 3600).epsilon(1e-12));
  const double tray = r.inputs.cluster.node_power.si() * 4 / 72;
  CHECK(r.outcome.energy.peak.si() == testing::about(9 * tray).epsilon(1e-12));
  const auto bought = option(R"("prices": {"nodes": {"gb200-nvl72": {"purchase": {"value": "72 USD",
      "source": "s", "date": "2026-11"}}}, "lifetime": {"value": "1461 d", "source": "s",
      "date": "2026-11"}, "utilisation": {"value": 1, "source": "s", "date": "2026-11"},
      "pay": "purchase"})");
  const OptionAnswer& b = bought->answer.options[0];
  REQUIRE(b.outcome.cost);
  CHECK(paid_gpus(b.inputs) == 72);
  CHECK(b.outcome.bill.parts[CostPart::hardware]->amount() ==
        testing::about(72 * b.outcome.wall.si() / b.inputs.prices.lifetime->value.si()));
}

TEST_CASE("a job spread over racks pays whole racks, draws by trays and has spares in idle ones") {
  const auto option = [](const char* node, int gpus, int spares) {
    const std::string name = node;
    const auto a = answered(R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e9}, "spares": )" +
                            std::to_string(spares) + R"(,
        "scenarios": [{"name": "x", "cluster": {"node": ")" +
                            name + R"("}, "gpus": )" + std::to_string(gpus) +
                            R"(, "set": {"parallel": {"tp": 2, "pp": 2},
                       "training.global_batch": 1536, "training.precision": "bf16"}}],
        "prices": {"nodes": {")" +
                            name + R"(": {"purchase": {"value": "72 USD", "source": "s",
        "date": "2026-11"}}},
        "lifetime": {"value": "1461 d", "source": "s", "date": "2026-11"},
        "utilisation": {"value": 1, "source": "s", "date": "2026-11"}, "pay": "purchase"}})");
    const OutcomeInputs in = a->answer.options[0].inputs;
    return std::pair(paid_gpus(in),
                     a->answer.options[0].outcome.energy.peak.si() / system_power(in.cluster).si());
  };
  CHECK(option("gb200-nvl72", 256, 2).first == 288);
  CHECK(option("gb200-nvl72", 256, 2).second == testing::about(66));
  CHECK(option("gb200-nvl72", 1024, 0).first == 16 * 72);
  CHECK(option("dgx-h100", 12, 0).first == 16);
  CHECK(option("dgx-h100", 12, 1).first == 24);
}

}  // namespace orrery
