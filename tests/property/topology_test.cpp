// SPDX-License-Identifier: Apache-2.0
// Properties of runs on fabrics and of placements, for any split of the model.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "estimate/estimate.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json run_on(const std::string& cluster, const std::string& parallel,
            const std::string& model = "llama-3-8b") {
  return json_of(R"({"model": ")" + model + R"(", "cluster": )" + cluster +
                 R"(, "training": {"sequence_length": 4096, "global_batch": 512},
                    "parallel": )" +
                 parallel + "}");
}

Seconds step_of(const Json& run) { return estimate(run_of(run)).step_time; }

std::vector<std::string> splits() {
  return {R"({"tp": 8})",
          R"({"tp": 8, "pp": 4})",
          R"({"tp": 4, "pp": 8, "order": "tp-cp-ep-pp-dp"})",
          R"({"tp": 2, "cp": 2, "zero": 3})",
          R"({"tp": 16, "pp": 2})",
          R"({"cp": 8, "cp_type": "a2a", "order": "dp-tp-cp-ep-pp"})",
          R"({"tp": 1, "order": "pp-dp-ep-cp-tp", "pp": 4})"};
}

std::string fabric(const std::string& node, const std::string& rest) {
  return R"({"node": ")" + node + R"(", "gpus": 256, "fabric": )" + rest + "}";
}

void check_never_faster(const std::string& node, const std::vector<std::string>& fabrics,
                        const std::string& parallel, const std::string& model = "llama-3-8b") {
  CAPTURE(node);
  CAPTURE(parallel);
  Seconds before;
  for (const std::string& f : fabrics) {
    CAPTURE(f);
    const Seconds step = step_of(run_on(fabric(node, f), parallel, model));
    CHECK(step >= before);
    before = step;
  }
}

}  // namespace

TEST_CASE("more oversubscription is never faster") {
  std::vector<std::string> trees;
  for (const char* over : {"1", "1.5", "2", "4", "7", "50"}) {
    trees.push_back(R"({"kind": "fat-tree", "radix": 16, "rails": 8, "oversubscription": )" +
                    std::string(over) + "}");
  }
  for (const std::string& parallel : splits()) check_never_faster("dgx-a100-80gb", trees, parallel);
  check_never_faster("dgx-h100", trees, R"({"ep": 8, "tp": 1, "pp": 2, "order": "dp-tp-cp-ep-pp"})",
                     "mixtral-8x7b");
}

TEST_CASE("more taper of a dragonfly is never faster, nor are fewer of its groups in use") {
  std::vector<std::string> tapers;
  for (const char* taper : {"1", "1.753", "4", "20"}) {
    tapers.push_back(R"({"kind": "dragonfly", "nodes_per_group": 8, "groups": 9, "taper": )" +
                     std::string(taper) + "}");
  }
  for (const std::string& parallel : splits())
    check_never_faster("frontier-mi250x", tapers, parallel);
}

TEST_CASE("oversubscription costs an exchange over all pods its factor") {
  const auto experts = [](const char* over) {
    return step_of(run_on(
        fabric("dgx-h100",
               R"({"kind": "fat-tree", "pod": 4, "oversubscription": )" + std::string(over) + "}"),
        R"({"ep": 256, "tp": 1})", "deepseek-v3"));
  };
  CHECK(experts("8") > 1.5 * experts("1"));
}

TEST_CASE("ranks scattered over nodes are never faster than ranks in order") {
  std::mt19937 random(11);
  for (const char* node : {"dgx-a100-80gb", "dgx-1-v100-32gb", "frontier-mi250x"}) {
    for (const char* parallel : {R"({"tp": 8, "pp": 2})", R"({"tp": 4, "pp": 1})"}) {
      CAPTURE(node);
      CAPTURE(parallel);
      const Json run =
          run_on(R"({"node": ")" + std::string(node) + R"(", "gpus": 32})", parallel, "llama-3-8b");
      const Seconds in_order = step_of(run);
      for (int trial = 0; trial < 5; ++trial) {
        std::vector<int> devices(32);
        std::iota(devices.begin(), devices.end(), 0);
        std::shuffle(devices.begin(), devices.end(), random);
        Json scattered = run;
        scattered["parallel"]["placement"] = devices;
        CHECK(step_of(scattered) >= in_order);
      }
    }
  }
}

TEST_CASE("a placement that only swaps nodes or the GPUs of a node changes nothing") {
  const Json run = run_on(R"({"node": "dgx-a100-80gb", "gpus": 32})", R"({"tp": 8, "pp": 2})");
  Json swapped = run;
  swapped["parallel"]["placement"] = "8-15, 3, 2, 1, 0, 7, 6, 5, 4, 24-31, 16-23";
  CHECK(step_of(swapped) == step_of(run));
}

TEST_CASE("a run on a graph of its node is the run on the node") {
  for (const std::string& parallel : splits()) {
    CAPTURE(parallel);
    const Seconds tiers = step_of(run_on(R"({"node": "dgx-a100-80gb", "gpus": 256})", parallel));
    const Seconds graph =
        step_of(run_on(R"({"node": "dgx-a100-80gb", "gpus": 256, "graph": "dgx-a100"})", parallel));
    CHECK(graph == tiers);
  }
}

TEST_CASE("a slower link in a graph is never faster") {
  const std::string split = R"({"tp": 8})";
  Seconds before;
  for (const char* link : {"100 GB/s", "50 GB/s", "25 GB/s", "5 GB/s"}) {
    const Seconds step = step_of(run_on(
        R"({"node": "dgx-1-v100-32gb", "gpus": 16, "graph": {"base": "dgx-1-v100", "link": ")" +
            std::string(link) + R"("}})",
        split, "llama-3-8b"));
    CHECK(step > before);
    before = step;
  }
}
