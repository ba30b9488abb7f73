// SPDX-License-Identifier: Apache-2.0
#include "memory/states.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "parallel/strategy.h"

using namespace orrery;

TEST_CASE("every recipe is found by its name and says where it is from") {
  std::set<std::string_view> names;
  for (const NamedRecipe& r : kRecipes) {
    CHECK(find_recipe(r.name) == &r);
    CHECK(names.insert(r.name).second);
    CHECK(r.source.size() > 10);
    CHECK(r.recipe.gathered <= r.recipe.weights);
    CHECK(r.recipe.reduced <= r.recipe.gradients);
  }
  CHECK(find_recipe("adam") == nullptr);
}

// tests/papers/states_test.cpp holds what a recipe keeps; on the wire weights are 16 bits wide
// unless they are computed with in fp32, and gradients as wide as the software reduces them.
TEST_CASE("recipes say how wide weights are gathered and gradients reduced") {
  const std::set<std::string_view> wide_weights = {"deepspeed-32", "fp32-adam-16"};
  const std::set<std::string_view> wide_gradients = {"adam-fp32-gradients-18", "frontier-14",
                                                     "deepspeed-32",           "fp32-adam-16",
                                                     "fsdp-amp-fp32-reduce",   "bf16-moments"};
  for (const NamedRecipe& r : kRecipes) {
    CAPTURE(r.name);
    CHECK(r.recipe.gathered == (wide_weights.count(r.name) > 0 ? 4 : 2));
    CHECK(r.recipe.reduced == (wide_gradients.count(r.name) > 0 ? 4 : 2));
    // Megatron's fp32 copies of fp16 gradients are no state that a checkpoint saves.
    CHECK(r.recipe.unsaved == (r.name == "adam-fp16-gradients-20" ? 4 : 0));
  }
}

TEST_CASE("each state is divided by its own degree, experts by theirs") {
  Strategy s;
  s.tp = 2;
  s.dp = 8;
  s.ep = 4;
  s.etp = 1;  // 4 ranks hold the same expert
  s.partition = {2, 4, 8};
  const StateRecipe r{2, 4, 12, 4, 2};
  const StateBytes<double> b = state_bytes<double>(r, {1000, 0}, s);
  CHECK(b.weights.si() == 1000 * 2 / 2);
  CHECK(b.gradients.si() == 1000 * 4 / 4);
  CHECK(b.optimizer.si() == 1000 * 12 / 8);
  const StateBytes<double> e = state_bytes<double>(r, {0, 1000}, s);
  CHECK(e.weights.si() == 1000 * 2 / 2);
  CHECK(e.gradients.si() == 1000 * 4 / 4);
  CHECK(e.optimizer.si() == 1000 * 12 / 4);
}

// ZeRO++ (arXiv:2306.10209, hierarchical partitioning): beside its part of the weights, 4·1000/16
// bytes here, each rank of a node of 4 keeps a quarter of a copy as it is gathered, in 16 bits:
// 2·1000/4. Experts over ep ranks have 16/ep replicas: a node's copy is shared by as many of them.
TEST_CASE("the second copy of hpZ is the gathered weights over the ranks of a node") {
  Strategy s;
  s.dp = 16;
  s.partition = {16, 16, 16};
  const StateRecipe r{4, 4, 8, 4, 2};
  CHECK(state_bytes<double>(r, {1000, 1000}, s).secondary == Bytes());
  s.zeropp.hpz = 4;
  const StateBytes<double> dense = state_bytes<double>(r, {1000, 0}, s);
  CHECK(dense.weights.si() == 250);
  CHECK(dense.secondary.si() == 500);
  ParametersHeld adapted{1000, 0};
  adapted.fixed_dense = {3000, Bytes(2000), Bytes(6000)};  // they are gathered with the others
  CHECK(state_bytes<double>(r, adapted, s).secondary.si() == 500 + 6000 / 4);
  const auto of_experts = [&](std::int64_t ep) {
    s.ep = ep;
    return state_bytes<double>(r, {0, 1000}, s).secondary.si();
  };
  CHECK(of_experts(2) == 500);   // 8 replicas, 4 in a node
  CHECK(of_experts(8) == 1000);  // 2 replicas
  CHECK(of_experts(16) == 0);    // one: its weights are whole
}

TEST_CASE("states of nothing are nothing") {
  const StateBytes<double> b = state_bytes<double>(StateRecipe{}, {0, 0}, Strategy{});
  CHECK(b.weights == Bytes());
  CHECK(b.gradients == Bytes());
  CHECK(b.optimizer == Bytes());
}
