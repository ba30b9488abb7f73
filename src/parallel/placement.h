// SPDX-License-Identifier: Apache-2.0
//
// The process groups of every dimension of a strategy, folded onto a cluster's tiers.
//
// Ranks are numbered as Megatron-LM numbers them (core/parallel_state.py, RankGenerator): the
// strategy's order, fastest dimension first, ep counting as 1 for dense parameters; for experts etp
// stands in tp's place, ep in ep's, expert data parallelism in dp's and cp is 1. Ranks fill devices
// in order. Every group is then a few digits of the rank, each with a stride, and how many of its
// members share a unit of a tier follows from the strides alone. place() takes about 0.3 us.
//
// All groups of a kind talk at once, so a child's link into a tier is shared by all groups that
// have members in it. Where a group does not fit units evenly (tp 6 on nodes of 8) the answer is
// that of the group most torn apart. Where a run lists the device of each rank the groups are
// counted one by one instead (placement_list.h). Errors: none; the strategy must be legal
// (rules.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/group.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Strategy;

struct Cluster;

// Devices in one unit of each tier; the last tier holds the whole run.
struct TierSizes {
  std::size_t count = 1;
  std::array<std::int64_t, kMaxTiers> devices{};
  const std::vector<std::int32_t>* device_of_rank = nullptr;  // null: in order
};

TierSizes tier_sizes(const Cluster& cluster);

struct Placement {
  Group tp;
  Group cp;
  Group dp;
  Group dp_cp;  // holds one dense parameter: gradients are reduced and states sharded here
  Group ep;     // tokens travel to their experts
  Group etp;
  Group etp_ep;  // both: Megatron's all-gather dispatcher
  Group edp;     // holds one expert's parameter

  bool operator==(const Placement&) const = default;
};

Placement place(const Strategy& s, const TierSizes& tiers);

// A part of dp_cp (edp) for states sharded over `outer` ranks that are already whole, or already
// sharded alike, among each `inner` of them: outer/inner ranks. 1 → n is the shard group of n ranks
// nearest to each other, n → dp·cp joins the replicas of one shard (HSDP, MiCS).
Group data_subgroup(const Strategy& s, const TierSizes& tiers, std::int64_t inner,
                    std::int64_t outer);
Group expert_subgroup(const Strategy& s, const TierSizes& tiers, std::int64_t inner,
                      std::int64_t outer);

// The tier at which stage `from` sends to its successor (that of the last stage is stage 0, as
// interleaved schedules need); of the ranks of a stage, the one that has farthest to go.
std::size_t pipeline_tier(const Strategy& s, const TierSizes& tiers, std::int64_t from);

// The same as a group of two, with the ranks that send through the same link as sharers.
Group pipeline_pair(const Strategy& s, const TierSizes& tiers, std::int64_t from);

}  // namespace orrery
