// SPDX-License-Identifier: Apache-2.0
//
// Placements on several kinds of node.
#include "explore/mixed_search.h"

#include <doctest/doctest.h>

#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json small(const std::string& groups,
           const std::string& parallel = R"({"recompute": "selective"})") {
  Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 12, "hidden_size": 2048,
              "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 8192,
              "vocab_size": 32000, "hidden_act": "swiglu"},
    "cluster": {"links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]},
    "training": {"sequence_length": 2048, "global_batch": 32, "micro_batch": 1},
    "framework": "megatron-core"})");
  run["cluster"]["groups"] = json_of(groups);
  run["parallel"] = json_of(parallel);
  return run;
}

MixedSearchResult found(const Json& run, bool exhaustive) {
  MixedSearchOptions o;
  o.top = 3;
  o.keep = {"recompute", "micro_batch"};
  o.exhaustive = exhaustive;
  return search_mixed(run, "run.json", shipped_configs(), o);
}

}  // namespace

TEST_CASE("a search over groups finds what trying everything finds") {
  for (const char* groups : {R"([{"name": "a", "node": "dgx-a100-80gb", "gpus": 8},
                                 {"name": "h", "node": "dgx-h100", "gpus": 8}])",
                             R"([{"name": "v", "node": "dgx-1-v100-32gb", "gpus": 8},
                                 {"name": "h", "node": "dgx-h100", "gpus": 16}])"}) {
    Json run = small(groups);
    run["training"]["precision"] = "fp16";
    const MixedSearchResult all = found(run, true);
    const MixedSearchResult bounded = found(run, false);
    CHECK(bounded.opened < all.opened);
    REQUIRE(all.best.size() == 3);
    REQUIRE(bounded.best.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(bounded.best[i].step.si() == about(all.best[i].step.si()));
    }
  }
}

// Numbers of nodes that divide badly leave some idle.
TEST_CASE("one node more never makes the best placement slower") {
  for (const char* batch : {"32", "96"}) {
    Seconds before(1e9);
    for (const int nodes : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
      Json run = small(R"([{"name": "a", "node": "dgx-a100-80gb", "gpus": 32},
                           {"name": "h", "node": "dgx-h100", "gpus": 8}])");
      run["cluster"]["groups"][1]["gpus"] = 8 * nodes;
      run["training"]["global_batch"] = json_of(batch);
      const MixedFound best = found(run, false).best.at(0);
      CHECK(best.step <= before * (1 + 1e-12));
      before = best.step;
      std::int64_t used = 0;
      for (const Json& g : (*best.run)["cluster"]["groups"]) used += g["gpus"].get<std::int64_t>();
      if (best.groups.size() == 2) CHECK(used == 32 + 8 * nodes - best.idle[0] - best.idle[1]);
    }
  }
}

TEST_CASE("devices added never make the best placement slower") {
  const std::string one = R"({"name": "a", "node": "dgx-a100-80gb", "gpus": 8})";
  const std::string faster = R"({"name": "h", "node": "dgx-h100", "gpus": 8})";
  const std::string slower = R"({"name": "v", "node": "dgx-1-v100-32gb", "gpus": 8})";
  Json run = small("[" + one + "]");
  run["training"]["precision"] = "fp16";
  const auto best = [&](const std::string& groups) {
    run["cluster"]["groups"] = json_of(groups);
    return found(run, false).best.at(0).step;
  };
  const Seconds alone = best("[" + one + "]");
  const Seconds two = best("[" + one + "," + faster + "]");
  const Seconds three = best("[" + one + "," + faster + "," + slower + "]");
  CHECK(two <= alone);
  CHECK(three <= two);
}
