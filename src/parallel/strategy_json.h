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
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/json_reader.h"
#include "model/architecture.h"
#include "parallel/rules.h"
#include "parallel/strategy.h"

namespace orrery {

struct StrategyRequest {
  std::optional<std::int64_t> tp, pp, vpp, cp, ep, etp;
  std::optional<std::int64_t> dp;  // absent: auto
  std::optional<ContextType> cp_type;
  std::optional<bool> sequence_parallel;
  std::optional<std::int64_t> zero;
  std::optional<std::int64_t> zero_shard_group;
  std::optional<Partition> partition;
  std::optional<std::int64_t> qwz, hpz, qgz;
  std::optional<ScheduleId> schedule;
  std::string schedule_file;  // where schedule is ScheduleId::own: of its order (own_order.h)
  std::optional<bool> post_validation;
  std::optional<std::vector<std::int64_t>> stage_layers;
  std::optional<Recompute> recompute;
  std::optional<ModuleMask> recompute_modules;
  std::optional<std::int64_t> recompute_layers;
  std::optional<RecomputeMethod> recompute_method;
  std::optional<Offload> offload;
  std::optional<RankOrder> order;
  Json placement;  // null: ranks fill devices in order
  std::string placement_path;

  // Kept as they stand, for framework_json.h: overlap is an object of true and false.
  Json overlap = Json::object();
  Json framework_options = Json::object();
  Json compression;  // a name or an object, for compression_json.h
  std::string overlap_path;
  std::string framework_options_path;
  std::string compression_path;
};

StrategyRequest read_strategy(Reader parallel);

struct StrategyDefaults {
  std::int64_t zero = 0;  // the framework's
  ContextType cp_type = ContextType::p2p;
  ModuleMask selective_modules = mask_of(Module::core_attn);  // what selective recompute runs again
  std::int64_t shard_group = 0;  // ranks that sharded states are spread over; 0: all
  ZeroPlusPlus zeropp{};
};

// A value the user did not give.
struct Assumed {
  std::string path;   // "parallel.dp"
  std::string value;  // "16"
  std::string why;    // "gpus/(tp·cp·pp)"
};

struct ResolvedStrategy {
  Strategy strategy;
  bool recompute_open = false;  // strategy.recompute is none until the caller has chosen
  std::vector<Assumed> assumed;
};

ResolvedStrategy resolve_strategy(const StrategyRequest& request, const Architecture& a,
                                  const RunShape& run, std::int64_t micro_batch,
                                  const StrategyDefaults& defaults, const std::string& file);

// Over how many ranks states are sharded by ZeRO `zero` within groups of `group` ranks.
constexpr Partition partition_of(std::int64_t zero, std::int64_t group) {
  return {zero >= 3 ? group : 1, zero >= 2 ? group : 1, zero >= 1 ? group : 1};
}

}  // namespace orrery
