// SPDX-License-Identifier: Apache-2.0
//
// The `parallel` object of a run file as the user wrote it. Absent keys are open:
// parallel/strategy_json.h resolves them. Its keys are the table of strategy_keys.h.
// Errors: none here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "parallel/group_choices.h"
#include "parallel/layer_rules.h"
#include "parallel/strategy_choices.h"

namespace orrery {

// Switches of ZeRO++ that are given; 0 turns one off.
struct ZeroPlusPlusRequest {
  std::optional<std::int64_t> qwz, hpz, qgz;
};

// Communication that runs beside compute, in place of the profile's choice.
struct OverlapRequest {
  std::optional<bool> grad_reduce, param_gather, cp, tp, ep;

  bool operator==(const OverlapRequest&) const = default;
};

struct StrategyRequest {
  std::optional<std::int64_t> tp, pp, vpp, cp, ep, etp;
  std::optional<std::int64_t> dp;  // absent: auto
  std::optional<ContextType> cp_type;
  std::optional<bool> dynamic_cp;
  std::optional<bool> sequence_parallel;
  std::optional<bool> vision_stage;
  std::optional<std::int64_t> zero;
  std::optional<std::int64_t> zero_shard_group;
  std::optional<Partition> partition;
  ZeroPlusPlusRequest zeropp;
  std::optional<ScheduleId> schedule;
  std::string schedule_file;  // where schedule is ScheduleId::own: of its order (own_order.h)
  std::optional<std::int64_t> schedule_runs;
  std::optional<bool> post_validation;
  std::optional<LayerSplit> layer_split;
  std::optional<std::vector<std::int64_t>> stage_layers;
  bool balanced_stages = false;  // stage_layers is "balanced": estimate/balanced_stages.h
  std::optional<Recompute> recompute;
  std::optional<ModuleMask> recompute_modules;
  std::optional<std::int64_t> recompute_layers;
  std::optional<RecomputeMethod> recompute_method;
  std::optional<LayerRules> layers;
  std::optional<Offload> offload;
  std::optional<RankOrder> order;
  OverlapRequest overlap;
  GivenJson placement;          // for placement_json.h
  GivenJson framework_options;  // for framework_json.h
  GivenJson compression;        // a name or an object, for compression_json.h
  GivenJson stage_groups;       // with cluster.groups, as the next three
  GivenJson group_tp;
  std::optional<GroupsHold> groups_hold;
  std::optional<StateShares> state_shares;
};

}  // namespace orrery
