// SPDX-License-Identifier: Apache-2.0
//
// DeepSeek-V3's run as its report describes it, and the nodes that a token reaches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "papers/golden.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json deepseek_run() {
  const auto path = std::string(ORRERY_CONFIG_DIR) + "/runs/deepseek-v3-2048-h800.json";
  return parse_json(text_of_file(path).value_or(""), path);
}

double dispatched(const Json& run) {
  const Answer a = estimate(run_of(run));
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (a.comm[i].dimension == CommDimension::ep) return a.comm[i].bytes.si();
  }
  return 0;
}

}  // namespace

// arXiv:2412.19437, table 1: 180 K GPU-hours for a trillion tokens. "Insights into DeepSeek-V3"
// (arXiv:2505.09343), table 4: a step takes 19.93 s on 2,048 GPUs with two kinds of network.
TEST_CASE("DeepSeek-V3's run fits, and takes what its report says within 15 %") {
  const ResolvedRun run = resolved(deepseek_run());
  const Answer a = estimate(run.run);
  CHECK(a.reason == Reason::fits);
  CHECK(a.memory.peak < a.capacity);
  CHECK(a.step_time.si() == about(19.93).epsilon(0.15));
  const double steps = 1e12 / (15360.0 * 4096);
  CHECK(a.step_time.si() * steps * 2048 / 3600 == about(180e3).epsilon(0.15));
}

// Section 3.2.2: each token is sent to at most 4 of 8 nodes, where 8 even draws reach 5.25.
TEST_CASE("groups of experts limit the nodes that a token is sent to") {
  Json any = deepseek_run();
  any["model"] = parse_json(shipped_config("models", "deepseek-v3")->text, "model");
  const double limited = dispatched(any);
  any["model"].erase("n_group");
  any["model"].erase("topk_group");
  const double reached = 8 * (1 - std::pow(1 - 1.0 / 8, 8));
  CHECK(dispatched(any) / limited == about(reached / 4));
}

// Two of the four exchanges of a layer go out with 1.03125 bytes an element, two come back with 2.
TEST_CASE("tokens travel to their experts in 8 bits with scales, and back in 16") {
  const double narrow = dispatched(deepseek_run());
  Json wide = deepseek_run();
  wide["framework"] = "megatron-core";
  CHECK(narrow / dispatched(wide) == about((2 * 1.03125 + 2 * 2) / 8));
}

// Top 8 of 128 experts. Tokens go to ranks, not experts: n ranks hold 8 even draws on n(1 − (1 −
// 1/n)⁸) of them. Two nodes of 8: the links in a node carry all of these copies, 7/8 of them to
// others, while a token crosses to a node once.
TEST_CASE("links in a node carry every copy of a token that crosses to it once") {
  const auto exchange = [](int ep, const std::string& dispatcher) {
    Json run = json_of(R"({"model": "qwen3-30b-a3b",
        "cluster": {"node": "h800-80gb", "gpus": 64,
                    "tiers": {"nvswitch": {"latency": 0, "launch": 0, "ramp": 0},
                              "infiniband": {"bandwidth": "400 TB/s", "latency": 0, "launch": 0}}},
        "training": {"sequence_length": 4096, "global_batch": 256},
        "parallel": {"tp": 1, "pp": 1, "recompute": "full"}, "framework": "megatron-core"})");
    run["parallel"]["ep"] = ep;
    run["parallel"]["framework_options"] = {{"dispatcher", dispatcher}};
    const Answer a = estimate(run_of(run));
    const auto* const line = std::find_if(a.comm.begin(), a.comm.end(), [](const auto& l) {
      return l.dimension == CommDimension::ep;
    });
    REQUIRE(line != a.comm.end());
    return *line;
  };
  const auto reached = [](double n) { return n * (1 - std::pow(1 - 1 / n, 8)); };
  const CommLine<double> all = exchange(8, "alltoall");
  const CommLine<double> inside = exchange(8, "flex");
  const CommLine<double> across = exchange(16, "flex");
  CHECK(inside.bytes / all.bytes == about(reached(8) / 8));
  CHECK(inside.time / all.time == about(reached(8) / 8));
  CHECK(across.bytes / exchange(16, "alltoall").bytes == about(reached(2) / 8));
  CHECK(across.time / inside.time == about(reached(16) / reached(8)));
}

TEST_CASE("a rank with more than its share of tokens costs time and memory") {
  Json run = deepseek_run();
  const Answer even = estimate(run_of(run));
  run["training"]["expert_load"] = 1.3;
  const Answer skewed = estimate(run_of(run));
  CHECK(skewed.step_time > even.step_time * 1.02);
  CHECK(skewed.step_time < even.step_time * 1.3);
  CHECK(skewed.memory.needed > even.memory.needed);
  CHECK(skewed.model_flops == even.model_flops);
}

// 8 experts, 2 a token. All tokens of 8 ranks may choose one rank's expert: 8 tokens for 2 of its
// own. With 4 ranks it has 2 experts, and each token may choose both. One rank alone has all.
TEST_CASE("no rank of experts gets more tokens than there are") {
  const auto step = [](int ep, double load) {
    Json run = json_of(R"({"model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 64},
        "training": {"sequence_length": 4096, "global_batch": 64},
        "parallel": {"tp": 1, "pp": 1, "recompute": "full"}})");
    run["parallel"]["ep"] = ep;
    run["training"]["expert_load"] = load;
    const ResolvedRun r = resolved(run);
    CHECK(r.warnings.empty() == (load <= most_expert_load(r.run.model, ep)));
    return estimate(r.run).step_time;
  };
  CHECK(step(8, 4) > step(8, 2));
  CHECK(step(8, 8) == step(8, 4));
  CHECK(step(2, 8) == step(2, 2));
  CHECK(step(1, 2) == step(1, 1));
}
