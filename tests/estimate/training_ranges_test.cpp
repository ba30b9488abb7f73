// SPDX-License-Identifier: Apache-2.0
// The least and the most that a number of `training`, `stack` or a run may be, by what it counts.
#include <doctest/doctest.h>

#include "core/error.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "support/key_ranges.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::check_range;
using testing::resolved;
using testing::with;

constexpr std::int64_t kMost = std::int64_t{1} << 30;

Json plain_run() {
  return testing::json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 8}, "parallel": {"recompute": "full"}})");
}

bool resolves(const char* change) {
  try {
    resolved(with(plain_run(), change));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a step has one sequence of one token at least") {
  check_range<TrainingRequest>(kTrainingKeys, {"sequence_length", "global_batch", "image_tokens"},
                               0, 1, kMost, kMost + 1);
  check_range<TrainingRequest>(kTrainingKeys, {"images"}, -1, 0, kMost, kMost + 1);
  // Whole numbers above 2^53 have no double of their own.
  check_range<TrainingRequest>(kTrainingKeys, {"tokens"}, 0, 1, std::int64_t{1} << 53,
                               (std::int64_t{1} << 53) + 1);
  check_range<TrainingRequest>(kTrainingKeys, {"optimizer_rank"}, 0, 1, 65536, 65537);
  check_range<AdapterRequest>(kAdapterKeys, {"rank"}, 0, 1, 65536, 65537);
  check_range<LengthShare>(kLengthKeys, {"length"}, 0, 1, kMost, kMost + 1);
  check_range<LengthShare>(kLengthKeys, {"share"}, 0, 1e-6, 1e15, 1.1e15);
  // A load over the mean is the mean at least.
  check_range<TrainingRequest>(kTrainingKeys, {"expert_load"}, 0.999, 1, 1024, 1024.1);
}

TEST_CASE("a parameter of a recipe has a bit at least where it computes, half of one on the wire") {
  check_range<StateRecipe>(kRecipeKeys, {"weights"}, 0.124, 0.125, 1024, 1024.1);
  check_range<StateRecipe>(kRecipeKeys, {"gradients", "optimizer"}, -0.001, 0, 1024, 1024.1);
  check_range<StateRecipe>(kRecipeKeys, {"reduced", "gathered"}, 0.0624, 0.0625, 1024, 1024.1);
}

TEST_CASE("a level lies within ten times, a risk below a half") {
  check_range<StackLevel>(kStackKeys, {"factor"}, 0.099, 0.1, 10, 10.1);
  check_range<StackLevel>(kStackKeys, {"spread"}, -0.001, 0, 1, 1.001);
  check_range<StackLevel>(kStackKeys, {"steps"}, -1, 0, kMost, kMost + 1);
  check_range<RunRequest>(kRunKeys, {"risk"}, 0.00009, 0.0001, 0.5, 0.501);
}

TEST_CASE("a micro batch is of a step, and parts of the optimizer's bytes are no more than all") {
  CHECK(resolves(R"({"training": {"micro_batch": 1}})"));
  CHECK_FALSE(resolves(R"({"training": {"micro_batch": 0}})"));
  CHECK_FALSE(resolves(R"({"training": {"micro_batch": 9}})"));
  const auto recipe = [](const std::string& more) {
    return resolves(
        (R"({"training": {"states": {"weights": 2, "gradients": 2, "optimizer": 12)" + more + "}}}")
            .c_str());
  };
  CHECK(recipe(""));
  CHECK(recipe(R"(, "unsaved": 12)"));
  CHECK_FALSE(recipe(R"(, "unsaved": 12.1)"));
  CHECK(recipe(R"(, "moments": 12)"));
  CHECK_FALSE(recipe(R"(, "moments": 12.1)"));
}

TEST_CASE("what training leaves out is 16 bits, fused attention and Adam in one micro batch") {
  const Training t = resolved(plain_run()).run.training;
  CHECK(t.precision == Precision::bf16);
  CHECK(t.fused_attention);
  CHECK(t.optimizer == Optimizer::adam);
  CHECK(t.expert_load == 1);
  CHECK(t.images == 0);
  CHECK_FALSE(t.adapter);
  CHECK(resolved(plain_run()).run.strategy.micro_batch == 1);
}

TEST_CASE("a recipe leaves on the wire what it stores, and Adam's moments are 8 bytes") {
  const auto recipe = [](const char* states) {
    Json run = plain_run();
    run["training"]["states"] = Json::parse(states);
    return resolved(run).run.training.recipe;
  };
  const StateRecipe r = recipe(R"({"weights": 2, "gradients": 4, "optimizer": 12})");
  CHECK(r.gathered == 2);
  CHECK(r.reduced == 4);
  CHECK(r.unsaved == 0);
  CHECK(r.moments == 8);
  CHECK(recipe(R"({"weights": 2, "gradients": 4, "optimizer": 6})").moments == 6);
}

}  // namespace orrery
