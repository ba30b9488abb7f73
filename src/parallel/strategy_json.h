// SPDX-License-Identifier: Apache-2.0
//
// The `parallel` object of a run file: what the user asked for, and what it means.
//
// read_strategy() takes the object strictly as it stands. resolve_strategy() fills in what is
// absent, says so, and refuses what is illegal (rules.h). Absent: tp, pp, vpp, cp and ep are 1; dp
// is what is left of the GPUs; etp is tp where that is legal, else 1; schedule is 1f1b, interleaved
// where vpp > 1; zero and cp_type are the framework's; recompute is left open ("the least that
// fits" needs a memory model) unless other keys imply it.
// Errors: InputError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_reader.h"
#include "model/architecture.h"
#include "parallel/rules.h"
#include "parallel/strategy.h"
#include "parallel/strategy_request.h"

namespace orrery {

StrategyRequest read_strategy(const Reader& parallel);

// The request that gives this strategy: every key that is neither implied by the others nor without
// effect.
StrategyRequest request_of(const Strategy& s);

struct StrategyDefaults {
  std::int64_t zero = 0;  // the framework's
  ContextType cp_type = ContextType::p2p;
  ModuleMask selective_modules = mask_of(Module::core_attn);  // what selective recompute runs again
  std::int64_t shard_group = 0;  // ranks that sharded states are spread over; 0: all
  ZeroPlusPlus zeropp{};
  LayerSplit layer_split = LayerSplit::even;
  bool sequence_parallel = false;
  TensorMask offloaded = 0;        // activations that selective recompute moves to the host
  std::int64_t sites = 1;          // of the cluster
  std::int64_t shard_devices = 0;  // that sharded states are spread over; 0: all
  std::string framework = {};      // whose defaults these are
};

struct ResolvedStrategy {
  Strategy strategy;
  bool recompute_open = false;  // strategy.recompute is none until the caller has chosen
  std::vector<Fact> assumed;
};

ResolvedStrategy resolve_strategy(const StrategyRequest& request, const Architecture& a,
                                  const RunShape& run, std::int64_t micro_batch,
                                  const StrategyDefaults& defaults, const std::string& file);

// Over how many ranks states are sharded by ZeRO `zero` within groups of `group` ranks.
constexpr Partition partition_of(std::int64_t zero, std::int64_t group) {
  return {zero >= 3 ? group : 1, zero >= 2 ? group : 1, zero >= 1 ? group : 1};
}

}  // namespace orrery
