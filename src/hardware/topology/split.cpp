// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/split.h"

#include <algorithm>
#include <cstddef>

#include "core/units.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/inner_cut.h"

namespace orrery {
namespace {

constexpr double kSlack = 0.99;

struct SplitUnit {
  std::int64_t inside;
  std::int64_t size;
  BytesPerSecond rate;  // of a child while all of the unit talk
};

SplitUnit unit_of(const Cluster& c, const Routes& r, std::size_t i) {
  const std::int64_t inside = i == 0 ? 1 : c.tiers[i - 1].size;
  const std::int64_t size = unit_in(c, r, i);
  return {inside, size, line_rate(c.tiers[i], size / inside)};
}

Name block_name(const Tier& t, std::int64_t size) {
  return make_name(std::string(t.name.view()).substr(0, 20) + "-" + std::to_string(size));
}

// Puts a tier of blocks of `size` devices inside tier i.
void insert_block(Cluster& c, Routes& r, std::size_t i, std::int64_t size) {
  for (std::size_t j = c.tier_count; j > i; --j) c.tiers[j] = c.tiers[j - 1];
  ++c.tier_count;
  Tier& block = c.tiers[i];
  block.name = block_name(c.tiers[whole_tier(c, i + 1)], size);
  block.size = size;
  block.block = true;
  Tier& whole = c.tiers[i + 1];
  whole.in_network_reduction = false;  // switches joined by links do not add
  const Seconds latency = whole.latency;
  fold_tier(c, r, i);
  fold_tier(c, r, i + 1);
  block.latency = whole.latency = latency;  // folded before
  // One rank still fills what it fills of its child's link.
  const double ratio = block.bandwidth / whole.bandwidth;
  whole.rank_share = std::min(1.0, block.rank_share * ratio);
}

// Slower by what the tightest cut lacks.
void lower(Tier& t, double carried) {
  t.bandwidth = t.bandwidth * carried;
  for (GroupBandwidth& g : t.group_bandwidth) g.bandwidth = g.bandwidth * carried;
}

// An exchange then meets the cut; a ring crosses it once and could keep more.
std::string lowered_note(const Tier& t, const InnerCut& cut, BytesPerSecond rate) {
  return "cluster.graph: a cut of " + pretty(cut.bandwidth) + " inside tier " +
         std::string(t.name.view()) +
         " is not between equal blocks of its children, or no tier is left for it: all rates of "
         "the tier are lowered to what an all-to-all gets, " +
         pretty(rate * cut.carried) + " for " + pretty(rate) + "; a ring, which could keep " +
         pretty(std::min(rate, cut.bandwidth)) + ", is too slow by as much";
}

// Whether a tier of blocks says it all: no other cut is tighter than the one around them.
bool parts_blocks(const InnerCut& block, const InnerCut& any) {
  return block.carried < kSlack && block.carried * kSlack <= any.carried;
}

}  // namespace

std::vector<std::string> split_at_cuts(Cluster& c, Routes& r) {
  std::vector<std::string> notes;
  const auto devices = static_cast<std::int64_t>(r.device_count());
  for (std::size_t i = 0; i < c.tier_count && covers(c, devices, i);) {
    const SplitUnit u = unit_of(c, r, i);
    if (u.size < 2 * u.inside) {
      ++i;
      continue;
    }
    const InnerCut block = tightest_block(r, u.inside, u.size, u.rate);
    const InnerCut any = tightest_cut(r, u.inside, u.size, u.rate);
    if (c.tier_count < kMaxTiers && parts_blocks(block, any)) {
      insert_block(c, r, i, block.block * u.inside);
      continue;  // the blocks next
    }
    const InnerCut& left = block.carried < any.carried ? block : any;
    if (left.carried < kSlack) {
      lower(c.tiers[i], left.carried);
      notes.push_back(lowered_note(c.tiers[i], left, u.rate));
    }
    ++i;
  }
  return notes;
}

}  // namespace orrery
