// SPDX-License-Identifier: Apache-2.0
//
// A search frees the strategy of a run file and holds what the user set on top of it.
#include "insight/held_keys.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "core/json.h"

using namespace orrery;

namespace {

Json planned_run() {
  return parse_json(R"({
    "model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024},
    "training": {"sequence_length": 2048, "global_batch": 1536, "micro_batch": 2},
    "parallel": {"tp": 8, "pp": 8, "recompute": "selective", "recompute_modules": ["core_attn"],
                 "offload": {"optimizer": "host"},
                 "framework_options": {"overlap_grad_reduce": true}},
    "framework": "megatron-lm"})",
                    "run.json");
}

Fact option_of(const std::string& path, const std::string& name) {
  return {path, "", "", Known::stated, name};
}

}  // namespace

TEST_CASE("the strategy is free, all else stays") {
  const HeldKeys held(planned_run(), {}, {});
  const Json free = held.freed(planned_run());
  CHECK(held.all().empty());
  CHECK_FALSE(free["parallel"].contains("tp"));
  CHECK_FALSE(free["parallel"].contains("recompute_modules"));
  CHECK_FALSE(free["training"].contains("micro_batch"));
  CHECK(free["parallel"]["offload"]["optimizer"] == "host");
  CHECK(free["training"]["global_batch"] == 1536);
  CHECK(free["framework"] == "megatron-lm");
}

TEST_CASE("an option holds its key, and is named") {
  const HeldKeys held(planned_run(),
                      {option_of("parallel.tp", "--tp"), option_of("cluster.gpus", "--gpus")}, {});
  CHECK(held.freed(planned_run())["parallel"]["tp"] == 8);
  CHECK_FALSE(held.freed(planned_run())["parallel"].contains("pp"));
  REQUIRE(held.all().size() == 1);
  CHECK(held.all()[0].path == "parallel.tp");
  CHECK(held.all()[0].value == "8");
  CHECK(held.all()[0].by == "--tp");
}

TEST_CASE("a key is kept by its name or its path") {
  for (const char* name : {"pp", "parallel.pp"}) {
    const HeldKeys held(planned_run(), {}, {name});
    CHECK(held.freed(planned_run())["parallel"]["pp"] == 8);
  }
  CHECK(HeldKeys(planned_run(), {}, {"micro_batch"})
            .freed(planned_run())["training"]["micro_batch"] == 2);
  const Json all = HeldKeys(planned_run(), {}, {"parallel"}).freed(planned_run());
  const Json own = planned_run();
  for (const auto& [key, value] : own["parallel"].items()) CHECK(all["parallel"][key] == value);
  CHECK_THROWS_AS(HeldKeys(planned_run(), {}, {"ttp"}), InputError);
}

TEST_CASE("recompute holds the keys that say how") {
  const HeldKeys held(planned_run(), {}, {"recompute"});
  CHECK(held.freed(planned_run())["parallel"]["recompute_modules"] ==
        planned_run()["parallel"]["recompute_modules"]);
  CHECK(held.all().size() == 2);
}

TEST_CASE("one switch is held alone") {
  const std::string grad = "parallel.framework_options.overlap_grad_reduce";
  const HeldKeys held(planned_run(), {option_of(grad, "--set")}, {});
  CHECK(held.holds(grad));
  CHECK_FALSE(held.holds("parallel.framework_options.overlap_param_gather"));
  CHECK(HeldKeys(planned_run(), {}, {"framework_options"}).holds(grad));
}
