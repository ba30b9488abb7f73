// SPDX-License-Identifier: Apache-2.0
// A run that hides nothing and prices of round numbers, for stages and steps added up by hand.
#pragma once

#include <cstdint>

#include "cost/memory_time.h"
#include "estimate/price.h"
#include "estimate/stage.h"
#include "support/runs.h"

namespace orrery::testing {

// Nothing is hidden, launched, added in an epilogue or lost beside anything.
inline Run bare_run(const char* change = "{}") {
  Run run = run_of(with(json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 8,
                 "states": {"weights": 2, "gradients": 4, "optimizer": 12}},
    "parallel": {"zero": 0, "recompute": "full"}, "framework": "generic"})"),
                        change));
  Framework& f = run.framework;
  f.host.launch = Seconds();
  f.host.backward[HostWork::replay] = 0;
  f.gradients.fused_accumulation = false;
  f.overlap.slowdown = 0;
  f.overlap.grad_reduce = f.overlap.param_gather = f.gathers.backward_prefetch = false;
  f.gathers.kept = 0;
  f.gradients.replicas_every_micro_batch = false;
  f.gathers.copy_bytes = f.gradients.copy_bytes = 0;
  f.gathers.host_wait = Seconds();
  f.gathers.prefetch_limit = 0;
  f.gathers.prefetch_norm = 2;
  return run;
}

inline constexpr std::int64_t kParameters = 1'000'000'000;

// A layer whose passes take 1, 2, 3 and 5 s, with exposed exchanges of 0.1 to 0.4 s.
inline Prices<double> round_prices() {
  Prices<double> prices;
  BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
  const double seconds[] = {1, 2, 3, 5};
  for (const Phase p : kAllOf<Phase>) {
    b.compute[p] = Seconds(seconds[static_cast<std::size_t>(p)]);
    b.launches[p] = 100 * seconds[static_cast<std::size_t>(p)];
  }
  b.weight_gradient = Seconds(0.75);
  b.selective_flops = Flops(7);
  b.full_flops = Flops(11);
  return prices;
}

// `full` of n layers run all of their forward again, the others some modules.
inline StageCosts<double> costs_of(const Run& run, const Prices<double>& prices, std::int64_t n,
                                   std::int64_t full) {
  BlockCounts blocks{};
  RecomputedBlocks again;
  blocks[BlockType::layer_0] = n;
  again.full[BlockType::layer_0] = full;
  again.selective[BlockType::layer_0] = n - full;
  return stage_costs<double>(run, prices, blocks, again);
}

inline double memory_seconds(const Run& run, double bytes) {
  return memory_time<double>(Bytes(bytes), run.cluster.device).si();
}

}  // namespace orrery::testing
