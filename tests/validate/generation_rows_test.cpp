// SPDX-License-Identifier: Apache-2.0
//
// Published decode points and steps of reinforcement learning as files, and their errors.
#include <doctest/doctest.h>

#include "core/error.h"
#include "support/about.h"
#include "support/runs.h"
#include "validate/decode_rows.h"
#include "validate/rl_rows.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::string decode_file(const char* measured, const char* kind = "closed loop") {
  return std::string(R"({"kind": "decode", "rows": [{"id": "a", "series": "s", "kind": ")") + kind +
         R"(", "model": "llama-3-8b", "node": "dgx-h100", "engine": "vllm", "batch": 8, "input": 128,
            "output": 128, "measured": )" +
         measured + R"(, "source": "a paper"}]})";
}

DecodePoint point_of(const std::string& text) {
  return judge_decode(text, "rows.json", shipped_configs()).points.at(0);
}

std::string step_row(const char* id, const char* placement, const char* seconds,
                     const char* unknown = "[]") {
  return std::string(R"({"id": ")") + id + R"(", "tool": "t", "compares": "c", "unknown": )" +
         unknown + R"(, "source": "a paper", "measured": {"step": )" + seconds +
         R"(}, "run": {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
            "framework": "megatron-core", "parallel": {"tp": 2, "recompute": "full"},
            "training": {"rl": {"algorithm": "grpo", "prompts": 64, "group": 8,
              "prompt_length": 200, "response": {"mean": 800, "cap": 2048},
              "packed_tokens": 8192}}, "rollout": {"tp": 1, "memory_share": 0.5},
            "placement": )" +
         placement + "}}";
}

RlValidation steps(const std::string& first, const std::string& second) {
  const std::string text = R"({"kind": "rl", "rows": [)" + first + ", " + second + "]}";
  return judge_rl(text, "steps.json", shipped_configs());
}

constexpr const char* kSplit = R"({"kind": "split", "rollout_gpus": 4})";
constexpr const char* kAsync = R"({"kind": "async", "rollout_gpus": 4})";

}  // namespace

TEST_CASE("a rate and its inverse have the same error of time") {
  const DecodePoint time = point_of(decode_file(R"({"token_s": 0.01})"));
  CHECK(time.error(0.012) == about(0.2));
  CHECK(time.error(time.predicted) == about(time.predicted / 0.01 - 1));
  const DecodePoint rate = point_of(decode_file(R"({"tokens_per_s": 100})", "static"));
  CHECK(rate.error(80) == about(0.25));
}

TEST_CASE("files tell themselves by their kind") {
  CHECK(is_decode_file(decode_file(R"({"token_s": 0.01})")));
  CHECK(!is_rl_file(decode_file(R"({"token_s": 0.01})")));
  CHECK(!is_decode_file("[]"));
  CHECK_THROWS_AS(point_of(decode_file("{}")), InputError);
}

TEST_CASE("the order of two placements counts where they differ") {
  const RlValidation right = steps(step_row("a", kSplit, "20"), step_row("b", kAsync, "12"));
  CHECK(right.pairs.right == 1);
  CHECK(right.pairs.all == 1);
  const RlValidation wrong = steps(step_row("a", kSplit, "12"), step_row("b", kAsync, "20"));
  CHECK(wrong.pairs.right == 0);
  CHECK(steps(step_row("a", kSplit, "20"), step_row("b", kAsync, "20.5")).pairs.all == 0);
}

TEST_CASE("rows without lengths count for their order alone") {
  const char* unknown = R"(["training.rl.response"])";
  const RlValidation v =
      steps(step_row("a", kSplit, "20", unknown), step_row("b", kAsync, "12", unknown));
  CHECK(v.summaries.empty());
  CHECK(v.pairs.all == 1);
}
