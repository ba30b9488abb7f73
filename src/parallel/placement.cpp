// SPDX-License-Identifier: Apache-2.0
#include "parallel/placement.h"

#include <algorithm>
#include <numeric>

#include "core/divide.h"
#include "hardware/cluster.h"
#include "parallel/placement_list.h"
#include "parallel/rank_digits.h"

namespace orrery {
namespace {

// A group that would fit into a unit, but not all such groups do: the larger part of the one that a
// unit's edge cuts nearest to the middle. Edges cut groups at multiples of the greatest common
// divisor of both lengths.
std::int64_t torn(const Digit& d, std::int64_t unit) {
  const std::int64_t common = std::gcd(d.stride * d.size, unit);
  const std::int64_t piece = common % d.stride == 0 ? common / d.stride : 1;
  return (d.size / piece + 1) / 2 * piece;
}

// Members in a unit; if they fill units unevenly, as many as every full unit has at least.
std::int64_t inside(const Digit& d, std::int64_t unit) {
  if (d.stride >= unit) return 1;
  const std::int64_t span = d.stride * d.size;
  if (span > unit) return unit / d.stride;
  return unit % span == 0 ? d.size : torn(d, unit);
}

std::int64_t inside(const Digits& digits, std::int64_t unit) {
  std::int64_t members = 1;
  for (std::size_t i = 0; i < digits.count; ++i) members *= inside(digits.at[i], unit);
  return members;
}

Group folded(const Digits& digits, const TierSizes& tiers, std::int64_t world) {
  if (tiers.device_of_rank != nullptr) return folded_by_list(digits, tiers);
  Group g;
  g.ranks = size_of(digits);
  if (g.ranks == 1) return g;
  g.members.fill(g.ranks);
  for (std::size_t i = 0; i < tiers.count; ++i) {
    const std::int64_t unit = std::min(tiers.devices[i], world);
    if (unit < world) g.members[i] = inside(digits, unit);
    if (i == 0 || g.members[i] == g.members[i - 1]) continue;
    g.sharers[i] = divided_up(std::min(tiers.devices[i - 1], world), g.members[i - 1]);
  }
  return g;
}

struct PipelineStep {
  std::int64_t stride = 1;  // between neighbouring stages
  std::int64_t stages = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

PipelineStep pipeline_step(const Strategy& s, std::int64_t from) {
  PipelineStep step{1, s.pp, from, from + 1 == s.pp ? 0 : from + 1};
  const DimSizes sizes = dense_sizes(s);
  for (const Dim d : s.order) {
    if (d == Dim::pp) break;
    step.stride *= sizes[d];
  }
  return step;
}

// Whether in every pipeline both stages lie in the same unit.
bool stays_inside(const PipelineStep& step, std::int64_t unit, std::int64_t world) {
  const std::int64_t span = step.stride * step.stages;
  if (unit >= world) return true;
  if (unit % step.stride != 0) return false;
  if (unit % span == 0) return true;
  const bool starts_at_edge = span == world || span % unit == 0;
  return starts_at_edge && step.stride * step.from / unit == step.stride * step.to / unit;
}

}  // namespace

TierSizes tier_sizes(const Cluster& cluster) {
  TierSizes sizes;
  sizes.count = cluster.tier_count;
  for (std::size_t i = 0; i < sizes.count; ++i) sizes.devices[i] = cluster.tiers[i].size;
  sizes.device_of_rank = cluster.device_of_rank.get();
  return sizes;
}

Placement place(const Strategy& s, const TierSizes& tiers) {
  const std::int64_t world = world_size(s);
  const auto dense = [&](unsigned dims) {
    return folded(digits_of(s.order, dense_sizes(s), dims), tiers, world);
  };
  const auto expert = [&](unsigned dims) {
    return folded(digits_of(s.order, expert_sizes(s), dims), tiers, world);
  };
  Placement p;
  p.tp = dense(bit(Dim::tp));
  p.cp = dense(bit(Dim::cp));
  p.dp = dense(bit(Dim::dp));
  p.dp_cp = s.cp == 1 ? p.dp : dense(bit(Dim::dp) | bit(Dim::cp));
  p.ep = expert(bit(Dim::ep));
  p.etp = expert(bit(Dim::tp));
  p.etp_ep = s.etp == 1 ? p.ep : expert(bit(Dim::tp) | bit(Dim::ep));
  p.edp = expert(bit(Dim::dp));
  return p;
}

Group data_subgroup(const Strategy& s, const TierSizes& tiers, std::int64_t inner,
                    std::int64_t outer) {
  const Digits whole = digits_of(s.order, dense_sizes(s), bit(Dim::dp) | bit(Dim::cp));
  return folded(part_of(whole, inner, outer), tiers, world_size(s));
}

Group expert_subgroup(const Strategy& s, const TierSizes& tiers, std::int64_t inner,
                      std::int64_t outer) {
  const Digits whole = digits_of(s.order, expert_sizes(s), bit(Dim::dp));
  return folded(part_of(whole, inner, outer), tiers, world_size(s));
}

std::size_t pipeline_tier(const Strategy& s, const TierSizes& tiers, std::int64_t from) {
  const PipelineStep step = pipeline_step(s, from);
  const std::int64_t world = world_size(s);
  std::size_t tier = 0;
  if (tiers.device_of_rank != nullptr) {
    const Group pair = pair_by_list(tiers, step.stride, step.stages, step.from, step.to);
    while (pair.members[tier] < 2) ++tier;
    return tier;
  }
  while (tier + 1 < tiers.count && !stays_inside(step, tiers.devices[tier], world)) ++tier;
  return tier;
}

Group pipeline_pair(const Strategy& s, const TierSizes& tiers, std::int64_t from) {
  Group g;
  if (s.pp == 1) return g;
  if (tiers.device_of_rank != nullptr) {
    const PipelineStep step = pipeline_step(s, from);
    return pair_by_list(tiers, step.stride, step.stages, step.from, step.to);
  }
  const std::size_t tier = pipeline_tier(s, tiers, from);
  g.ranks = 2;
  for (std::size_t i = tier; i < kMaxTiers; ++i) g.members[i] = 2;
  for (std::size_t i = 1; i <= tier; ++i) {
    g.sharers[i] = std::min(tiers.devices[i - 1], pipeline_step(s, from).stride);
  }
  return g;
}

}  // namespace orrery
