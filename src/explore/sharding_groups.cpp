// SPDX-License-Identifier: Apache-2.0
#include "explore/sharding_groups.h"

#include <algorithm>
#include <tuple>

#include "explore/price_keys.h"

namespace orrery {
namespace {

// No more than these are judged one by one.
constexpr std::size_t kFewShardings = 8;

// The shardings of a group are alike in this.
enum class GroupLevel : std::uint8_t { synchronises, weights, gradients };

// The consecutive ranges of `all` with the same key.
template <class Key>
std::vector<IndexRange> runs_of(IndexRange all, Key&& key) {
  std::vector<IndexRange> runs;
  for (std::size_t at = all.begin; at < all.end;) {
    std::size_t end = at + 1;
    while (end < all.end && key(end) == key(at)) ++end;
    runs.push_back({at, end});
    at = end;
  }
  return runs;
}

void count_illegal(RuleId rule, std::vector<std::pair<RuleId, std::int64_t>>& illegal) {
  const auto known =
      std::find_if(illegal.begin(), illegal.end(), [&](const auto& i) { return i.first == rule; });
  if (known == illegal.end()) {
    illegal.emplace_back(rule, 1);
  } else {
    ++known->second;
  }
}

void sort_for_groups(std::vector<LegalSharding>& legal) {
  const auto key = [](const LegalSharding& l) {
    return std::make_tuple(l.synchronises, l.partition.weights, l.partition.gradients);
  };
  std::stable_sort(legal.begin(), legal.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

std::size_t add_group(ShardingGroups& to, IndexRange range, GroupLevel level) {
  const std::size_t at = to.groups.size();
  to.groups.push_back({range, {}, {}});
  if (level == GroupLevel::gradients || range.size() <= kFewShardings) return at;
  const bool by_weights = level == GroupLevel::synchronises;
  const auto shards = [&](std::size_t i) {
    return by_weights ? to.legal[i].partition.weights : to.legal[i].partition.gradients;
  };
  std::vector<std::size_t> parts;
  for (const IndexRange r : runs_of(range, shards)) {
    parts.push_back(add_group(to, r, by_weights ? GroupLevel::weights : GroupLevel::gradients));
  }
  to.groups[at].parts = std::move(parts);
  return at;
}

}  // namespace

ShardingGroups group_shardings(const Run& run, const std::vector<ShardingTally>& shardings) {
  ShardingGroups g;
  for (std::size_t k = 0; k < shardings.size(); ++k) {
    if (shardings[k].broken != RuleId::none) {
      count_illegal(shardings[k].broken, g.illegal);
      continue;
    }
    const Partition p = shardings[k].sharding.partition();
    g.legal.push_back({k, p, synchronises(run, p)});
    g.most_gradient_shards = std::max(g.most_gradient_shards, p.gradients);
  }
  sort_for_groups(g.legal);
  const auto key = [&](std::size_t i) { return g.legal[i].synchronises; };
  for (const IndexRange r : runs_of({0, g.legal.size()}, key)) {
    g.roots.push_back(add_group(g, r, GroupLevel::synchronises));
  }
  return g;
}

void collect_families(const std::vector<ShardingTally>& shardings, ShardingGroups& groups) {
  for (ShardingGroup& g : groups.groups) {
    for (std::size_t i = g.range.begin; i < g.range.end; ++i) {
      const auto& families = shardings[groups.legal[i].number].families;
      g.families.insert(g.families.end(), families.begin(), families.end());
    }
    keep_each_once(g.families);
  }
}

std::vector<Partition> partitions_of(const ShardingGroups& groups) {
  std::vector<Partition> partitions;
  for (const LegalSharding& l : groups.legal) partitions.push_back(l.partition);
  return partitions;
}

std::vector<IndexRange> ranges_of(const ShardingGroups& groups) {
  std::vector<IndexRange> ranges;
  for (const ShardingGroup& g : groups.groups) ranges.push_back(g.range);
  return ranges;
}

}  // namespace orrery
