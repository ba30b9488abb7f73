// SPDX-License-Identifier: Apache-2.0
//
// Bytes of model state per parameter: a recipe, named or given in the run file.
//
// `weights` is the copy for computation, `gradients` the gradients between micro batches,
// `optimizer` everything else (master weights, moments). `reduced` is the size of a gradient on the
// wire, `gathered` the size of a sharded weight on the wire, `copies` that of a gathered weight in
// memory if it differs from `weights` (FSDP keeps fp32 shards and gathers 16 bits). Errors: none.
#pragma once

#include <array>
#include <string_view>

namespace orrery {

struct StateRecipe {
  double weights = 2;
  double gradients = 2;
  double optimizer = 12;
  double reduced = 2;
  double gathered = 2;
  double unsaved = 0;  // part of `optimizer` that no checkpoint holds: fp32 copies of gradients
  double moments = 8;  // part of `optimizer` that is Adam's two moments, which others replace

  bool operator==(const StateRecipe&) const = default;
};

constexpr double bytes_per_parameter(const StateRecipe& r) {
  return r.weights + r.gradients + r.optimizer;
}

// SGD keeps one moment where Adam keeps two.
constexpr StateRecipe with_one_moment(StateRecipe r) {
  r.moments /= 2;
  r.optimizer -= r.moments;
  return r;
}

// Adam's moments in one byte each, whatever the other states are.
constexpr StateRecipe with_moments_of_a_byte(StateRecipe r) {
  r.optimizer += 2 - r.moments;
  r.moments = 2;
  return r;
}

struct NamedRecipe {
  std::string_view name;
  StateRecipe recipe;
  std::string_view source;
};

inline constexpr auto kRecipes = std::to_array<NamedRecipe>({
    {"adam-mixed-16", {2, 2, 12, 2, 2}, "ZeRO, arXiv:1910.02054, section 3.1: K = 12"},
    {"adam-fp32-gradients-18",
     {2, 4, 12, 4, 2},
     "Megatron-LM with fp32 main gradients: 18, or 6 + 12/d with a distributed optimizer"},
    {"adam-fp16-gradients-20",
     {2, 2, 16, 2, 2, 4},
     "Megatron-LM in fp16, an fp32 copy of weights and of gradients: 20, or 4 + 16/d with a "
     "distributed optimizer (its dist_optimizer.md) [from memory, unverified]"},
    {"lecture-20", {2, 2, 16, 2, 2}, "lecture on training memory: 2 + 2 + 16, 1 B is 20 GB"},
    {"frontier-14",
     {2, 4, 8, 4, 2, 0, 4},
     "Dash et al., arXiv:2312.12705: 2 + 4 + 4 + 4; its text says 24"},
    {"deepspeed-32", {4, 4, 24, 4, 4}, "DeepSpeed, observed: 1.2 B parameters fill 40 GB"},
    {"fp32-adam-16", {4, 4, 8, 4, 4}, "Adam wholly in fp32"},
    {"fsdp-amp", {4, 4, 8, 2, 2}, "PyTorch FSDP mixed precision, arXiv:2304.11277: fp32 shards"},
    {"fsdp-amp-fp32-reduce",
     {4, 4, 8, 4, 2},
     "torchtitan: fp32 shards and an fp32 reduction (mixed_precision_reduce) [from memory, "
     "unverified]"},
    {"pure-16bit", {2, 2, 4, 2, 2, 0, 4}, "weights, gradients and both moments in 16 bits"},
    {"bf16-moments",
     {2, 4, 8, 4, 2, 0, 4},
     "DeepSeek-V3, arXiv:2412.19437, section 3.3.3: fp32 master and gradients, bf16 moments"},
    {"adam-8bit",
     {2, 2, 6, 2, 2, 0, 2},
     "8-bit optimizers, arXiv:2110.02861: two moments of one byte"},
    {"sgd", {2, 2, 8, 2, 2, 0, 4}, "SGD with momentum: fp32 master weights and momentum"},
});

constexpr const NamedRecipe* find_recipe(std::string_view name) {
  for (const NamedRecipe& r : kRecipes) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

}  // namespace orrery
