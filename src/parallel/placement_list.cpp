// SPDX-License-Identifier: Apache-2.0
#include "parallel/placement_list.h"

#include <algorithm>
#include <map>
#include <vector>

namespace orrery {
namespace {

using Devices = std::vector<std::int64_t>;

bool is_first_of_group(std::int64_t rank, const Digits& digits) {
  for (std::size_t i = 0; i < digits.count; ++i) {
    if (rank / digits.at[i].stride % digits.at[i].size != 0) return false;
  }
  return true;
}

// Sorted.
Devices devices_of(std::int64_t first, const Digits& digits, const TierSizes& tiers) {
  Devices ranks = {first};
  for (std::size_t i = 0; i < digits.count; ++i) {
    const std::size_t before = ranks.size();
    for (std::int64_t v = 1; v < digits.at[i].size; ++v) {
      for (std::size_t k = 0; k < before; ++k) ranks.push_back(ranks[k] + v * digits.at[i].stride);
    }
  }
  for (std::int64_t& r : ranks) r = (*tiers.device_of_rank)[static_cast<std::size_t>(r)];
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// Everything is in one unit of the last tier.
std::int64_t unit_of(const TierSizes& tiers, std::size_t i, std::int64_t device) {
  return i + 1 == tiers.count ? 0 : device / tiers.devices[i];
}

std::int64_t fullest(const Devices& sorted, const TierSizes& tiers, std::size_t i) {
  std::int64_t most = 0;
  std::int64_t here = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const bool same = k > 0 && unit_of(tiers, i, sorted[k]) == unit_of(tiers, i, sorted[k - 1]);
    here = same ? here + 1 : 1;
    most = std::max(most, here);
  }
  return most;
}

using Through = std::map<std::int64_t, std::int64_t>;  // by child: groups that leave it

// The children of tier i with members of a group that send to others of the same unit.
void count_through(const Devices& sorted, const TierSizes& tiers, std::size_t i, Through& through) {
  for (std::size_t k = 0; k < sorted.size();) {
    const std::int64_t unit = unit_of(tiers, i, sorted[k]);
    std::vector<std::int64_t> children;
    for (; k < sorted.size() && unit_of(tiers, i, sorted[k]) == unit; ++k) {
      const std::int64_t child = sorted[k] / tiers.devices[i - 1];
      if (children.empty() || children.back() != child) children.push_back(child);
    }
    if (children.size() < 2) continue;
    for (const std::int64_t child : children) ++through[child];
  }
}

std::int64_t most_through(const Through& through) {
  std::int64_t most = 1;
  for (const auto& [child, n] : through) most = std::max(most, n);
  return most;
}

std::size_t joining_tier(const TierSizes& tiers, std::int64_t a, std::int64_t b) {
  std::size_t i = 0;
  while (unit_of(tiers, i, a) != unit_of(tiers, i, b)) ++i;
  return i;
}

}  // namespace

Group folded_by_list(const Digits& digits, const TierSizes& tiers) {
  Group g;
  for (std::size_t i = 0; i < digits.count; ++i) g.ranks *= digits.at[i].size;
  if (g.ranks == 1) return g;
  g.members.fill(g.ranks);
  std::array<Through, kMaxTiers> through;
  const auto world = static_cast<std::int64_t>(tiers.device_of_rank->size());
  for (std::int64_t rank = 0; rank < world; ++rank) {
    if (!is_first_of_group(rank, digits)) continue;
    const Devices devices = devices_of(rank, digits, tiers);
    for (std::size_t i = 0; i < tiers.count; ++i) {
      g.members[i] = std::min(g.members[i], fullest(devices, tiers, i));
      if (i > 0) count_through(devices, tiers, i, through[i]);
    }
  }
  for (std::size_t i = 1; i < tiers.count; ++i) g.sharers[i] = most_through(through[i]);
  return g;
}

Group pair_by_list(const TierSizes& tiers, std::int64_t stride, std::int64_t stages,
                   std::int64_t from, std::int64_t to) {
  const auto& devices = *tiers.device_of_rank;
  Group g;
  g.ranks = 2;
  std::size_t tier = 0;
  std::array<Through, kMaxTiers> through;
  for (std::int64_t rank = 0; rank < static_cast<std::int64_t>(devices.size()); ++rank) {
    if (rank / stride % stages != from) continue;
    const std::int64_t a = devices[static_cast<std::size_t>(rank)];
    const std::int64_t b = devices[static_cast<std::size_t>(rank + (to - from) * stride)];
    const std::size_t joining = joining_tier(tiers, a, b);
    tier = std::max(tier, joining);
    for (std::size_t i = 1; i <= joining; ++i) ++through[i][a / tiers.devices[i - 1]];
  }
  for (std::size_t i = tier; i < kMaxTiers; ++i) g.members[i] = 2;
  for (std::size_t i = 1; i <= tier; ++i) g.sharers[i] = most_through(through[i]);
  return g;
}

}  // namespace orrery
