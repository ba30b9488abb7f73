// SPDX-License-Identifier: Apache-2.0
#include "explore/unit_tally.h"

#include <algorithm>

#include "explore/space.h"

namespace orrery {

void UnitTally::start(const Unit& unit, const std::vector<Sharding>& shardings) {
  unit_ = &unit;
  shardings_.start(shardings);
  of_offloads_.resize(in_.space.offloads.size());
  if (!in_.options.families) return;
  in_.index.find_unit(unit, ids_);
  for (ShardingTally& t : shardings_.list()) {
    in_.index.find_sharding(t.sharding, ids_);
    t.families = FamilyIndex::of_sharding(ids_);
  }
}

void UnitTally::find_families(Point p) {
  if (!in_.options.families) return;
  in_.index.find_point(*unit_, p, ids_);
  for (std::size_t o = 0; o < of_offloads_.size(); ++o) {
    p.offload = static_cast<std::int16_t>(o);
    in_.index.find_offload(*unit_, p, ids_);
    of_offloads_[o].clear();
    for (std::size_t axis = 0; axis < ids_.size(); ++axis) {
      if (!FamilyIndex::is_of_sharding(axis)) of_offloads_[o].push_back(ids_[axis]);
    }
  }
}

std::span<const std::size_t> UnitTally::families_of(const ShardingTally& t) const {
  if (!in_.options.families) return {};
  return t.families;
}

void UnitTally::reject(const CandidateBlock& block, RuleId rule, std::int64_t candidates) {
  if (candidates == 0) return;
  all_.rejected[static_cast<std::size_t>(rule)] += candidates;
  for (const std::size_t f : block.families) all_.families[f].reject(rule, candidates);
}

bool UnitTally::refuse(int constraint) {
  if (constraint >= 0) ++all_.refused[static_cast<std::size_t>(constraint)];
  return constraint >= 0;
}

std::int64_t UnitTally::count(const ShardingGroups& groups, const ShardingGroup& group, bool fit,
                              CandidateBlock& block) {
  const auto n = static_cast<std::int64_t>(group.range.size());
  block.legal += n;
  if (fit) block.feasible += n;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    ShardingTally& t = shardings_.list()[groups.legal[i].number];
    ++t.legal;
    if (fit) ++t.feasible;
  }
  return n;
}

bool UnitTally::wants_nearest(Bytes least, const ShardingGroups& groups, const ShardingGroup& group,
                              const CandidateBlock& block) const {
  const auto wants = [least](const Candidate& c) { return c.unit < 0 || c.peak >= least; };
  const auto of_family = [&](std::size_t f) { return wants(all_.families[f].nearest); };
  if (wants(all_.nearest) || std::any_of(block.families.begin(), block.families.end(), of_family)) {
    return true;
  }
  if (std::none_of(group.families.begin(), group.families.end(), of_family)) return false;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    const ShardingTally& t = shardings_.list()[groups.legal[i].number];
    if (wants(t.nearest) && std::any_of(t.families.begin(), t.families.end(), of_family)) {
      return true;
    }
  }
  return false;
}

void UnitTally::close(const CandidateBlock& block) {
  for (const std::size_t i : block.families) {
    FamilyTally& f = all_.families[i];
    f.legal += block.legal;
    f.feasible += block.feasible;
    if (needs_less(block.nearest, f.nearest)) f.nearest = block.nearest;
  }
}

void UnitTally::hand_over() {
  if (in_.options.families) shardings_.hand_over(all_.families);
}

}  // namespace orrery
