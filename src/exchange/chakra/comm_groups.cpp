// SPDX-License-Identifier: Apache-2.0
#include "exchange/chakra/comm_groups.h"

#include <algorithm>

#include "parallel/partition.h"
#include "parallel/rank_digits.h"

namespace orrery {
namespace {

GroupKind kind_of(CommDimension d) {
  return d == CommDimension::edp ? GroupKind::expert : GroupKind::dense;
}

Digits digits_of(const Strategy& s, const RankGroup& g) {
  const auto dense = [&s](unsigned dims) { return digits_of(s.order, dense_sizes(s), dims); };
  const auto expert = [&s](unsigned dims) { return digits_of(s.order, expert_sizes(s), dims); };
  switch (g.kind) {
    case GroupKind::tp:
      return dense(bit(Dim::tp));
    case GroupKind::cp:
      return dense(bit(Dim::cp));
    case GroupKind::ep:
      return expert(bit(Dim::ep));
    case GroupKind::etp:
      return expert(bit(Dim::tp));
    case GroupKind::dense:
      return part_of(dense(bit(Dim::dp) | bit(Dim::cp)), g.inner, g.outer);
    case GroupKind::expert:
      return part_of(expert(bit(Dim::dp)), g.inner, g.outer);
  }
  return {};
}

}  // namespace

RankGroup group_of(const PassExchange& e) {
  switch (e.group) {
    case ExchangeGroup::tp:
      return {GroupKind::tp};
    case ExchangeGroup::cp:
      return {GroupKind::cp};
    case ExchangeGroup::ep:
      return {GroupKind::ep};
    case ExchangeGroup::etp:
      return {GroupKind::etp};
  }
  return {};
}

RankGroup group_in_pass(const CommLine<double>& l) { return {kind_of(l.dimension), 1, l.ranks}; }

RankGroup group_at_end(const Run& run, const CommLine<double>& l) {
  const GroupKind kind = kind_of(l.dimension);
  const ShardedStates which =
      kind == GroupKind::expert ? ShardedStates::expert : ShardedStates::dense;
  const Partition p = partition_of(run.strategy, which);
  const bool shards = reduces_every_micro_batch(run.strategy, run.framework);
  const std::int64_t owners = std::max(p.optimizer, shards ? p.gradients : 1);
  const std::int64_t outer =
      l.collective == Collective::all_reduce ? replicas(run.strategy, which) : owners;
  return {kind, outer / l.ranks, outer};
}

CommGroups::CommGroups(const Run& run, const Simulation& s) : strategy_(run.strategy) {
  for (const PassExchanges& pass : s.exchanges) {
    for (const PassExchange& e : pass.forward) note(group_of(e));
    for (const PassExchange& e : pass.backward) note(group_of(e));
    for (const CommLine<double>& l : pass.forward_shards) note(group_in_pass(l));
    for (const CommLine<double>& l : pass.backward_shards) note(group_in_pass(l));
  }
  for (const StagePlan& stage : s.plan.stages) {
    for (const CommLine<double>& l : stage.lines) note(group_at_end(run, l));
  }
}

void CommGroups::note(const RankGroup& g) {
  if (std::find(kinds_.begin(), kinds_.end(), g) == kinds_.end()) kinds_.push_back(g);
}

std::vector<std::int64_t> CommGroups::members(const RankGroup& g, std::int64_t rank) const {
  return members_of(digits_of(strategy_, g), rank);
}

std::string CommGroups::name(const RankGroup& g, std::int64_t rank) const {
  const auto kind = std::find(kinds_.begin(), kinds_.end(), g) - kinds_.begin();
  return std::to_string(kind * world_size(strategy_) + members(g, rank).front());
}

}  // namespace orrery
