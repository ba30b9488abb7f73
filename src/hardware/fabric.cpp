// SPDX-License-Identifier: Apache-2.0
#include "hardware/fabric.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/divide.h"
#include "core/error.h"
#include "hardware/device_reader.h"
#include "hardware/hash_collisions.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostNodes = 1'000'000;
constexpr double kMostTaper = 1000;
constexpr std::int64_t kMostRadix = 4096;
constexpr std::int64_t kMostQueuePairs = 64;

double factor_at(const Reader& r) { return r.number(1, kMostTaper); }

std::int64_t nodes_of_pod(Reader& r) {
  const auto pod = r.find("pod");
  if (pod) {
    for (const char* other : {"radix", "rails", "cards"}) {
      if (const auto found = r.find(other)) found->fail("nothing: `pod` says it");
    }
    return pod->integer(1, kMostNodes);
  }
  const std::int64_t down = r.at("radix").integer(2, kMostRadix) / 2;
  const auto cards_at = r.find("cards");
  const auto rails_at = r.find("rails");
  const std::int64_t rails = rails_at ? rails_at->integer(1, 64) : 1;
  const std::int64_t cards = cards_at ? cards_at->integer(1, 64) : rails;
  if (cards % rails != 0) rails_at->fail("a divisor of the " + std::to_string(cards) + " cards");
  const std::int64_t nodes = down / (cards / rails);
  if (nodes < 1) r.at("radix").fail("ports for the cards of at least one node on a leaf");
  return nodes;
}

// Ports of a leaf down, and as many up as its oversubscription leaves.
void read_routing(Reader& r, Fabric& f) {
  const auto routing = r.find("routing");
  const auto pairs = r.find("queue_pairs");
  if (!routing || routing->choice<FabricRouting>() == FabricRouting::spread) {
    if (pairs) pairs->fail("nothing: routing is not hash");
    return;
  }
  const auto radix = r.find("radix");
  if (!radix) routing->fail("hash without a radix", "radix: the ports of a leaf");
  const std::int64_t down = radix->integer(2, kMostRadix) / 2;
  f.flows = down * (pairs ? pairs->integer(1, kMostQueuePairs) : 1);
  f.ways_up = std::max<std::int64_t>(1, std::llround(static_cast<double>(down) / f.taper));
}

Fabric read_fat_tree(Reader& r) {
  Fabric f;
  f.nodes_per_unit = nodes_of_pod(r);
  if (const auto over = r.find("oversubscription")) f.taper = factor_at(*over);
  read_routing(r, f);
  if (const auto nodes = r.find("nodes")) f.nodes = nodes->integer(1, kMostNodes);
  return f;
}

Fabric read_dragonfly(Reader& r) {
  Fabric f;
  f.kind = FabricKind::dragonfly;
  f.nodes_per_unit = r.at("nodes_per_group").integer(1, kMostNodes);
  if (const auto groups = r.find("groups")) f.groups = groups->integer(1, kMostNodes);
  f.nodes = f.groups * f.nodes_per_unit;
  f.taper = factor_at(r.at("taper"));
  return f;
}

std::string percent_text(double share) { return std::to_string(std::llround(100 * share)) + " %"; }

std::int64_t units_filled(const Fabric& f, const Cluster& c) {
  return divided_up(node_count(c), f.nodes_per_unit);
}

void check_fits(const Reader& r, const Fabric& f, const Cluster& c) {
  const std::size_t outer = c.tier_count - 1U;
  if (outer == 0 || c.tiers[outer - 1].size != c.devices_per_node) {
    r.fail("a node with tiers between its outermost one and the node",
           "a fabric only where the node's last tier joins nodes");
  }
  if (c.tier_count == kMaxTiers) {
    r.fail("a fabric over " + std::to_string(kMaxTiers) + " tiers", "one tier less");
  }
  if (f.kind == FabricKind::fat_tree && f.nodes > 0 && f.nodes < node_count(c)) {
    r.fail("a fat tree of " + std::to_string(f.nodes) + " nodes",
           "at least the " + std::to_string(node_count(c)) + " nodes of the run");
  }
  if (f.groups > 0 && f.groups < units_filled(f, c)) {
    r.fail("a dragonfly of " + std::to_string(f.groups) + " groups",
           "at least " + std::to_string(units_filled(f, c)) + " for the " +
               std::to_string(node_count(c)) + " nodes of the run");
  }
}

}  // namespace

bool apply_fabric(const Fabric& f, Cluster& c) {
  const std::size_t outer = c.tier_count - 1U;
  c.places = f.nodes * c.devices_per_node;
  const std::int64_t unit = f.nodes_per_unit * c.devices_per_node;
  const Tier leaf = c.tiers[outer];
  if (unit >= leaf.size && f.nodes <= f.nodes_per_unit)
    return false;  // all under the same switches
  const bool grouped = f.nodes_per_unit > 1;
  if (grouped) c.tiers[outer].size = unit;
  Tier spine = leaf;
  spine.name = make_name(f.kind == FabricKind::fat_tree ? "spine" : "global");
  spine.bandwidth = leaf.bandwidth * (static_cast<double>(f.nodes_per_unit) / f.taper);
  if (f.flows > 0) spine.bandwidth = spine.bandwidth * hashed_rate(f).mean;
  // One rank still fills what it fills of its node's cards.
  spine.rank_share = std::min(1.0, leaf.rank_share * leaf.bandwidth.si() / spine.bandwidth.si());
  spine.channel_share = 1;  // those of one node, which the leaf counts
  spine.group_sizes = 0;
  spine.group_bandwidth = {};
  spine.size = rounded_up(std::max(leaf.size, c.places), unit);
  const std::int64_t groups = f.groups > 0 ? f.groups : units_filled(f, c);
  if (f.kind == FabricKind::dragonfly && groups > 2) {
    spine.group_sizes = 2;
    spine.group_bandwidth[0] = {2, spine.bandwidth / static_cast<double>(groups - 1)};
    spine.group_bandwidth[1] = {groups, spine.bandwidth};
  }
  c.tiers[grouped ? outer + 1 : outer] = spine;
  if (grouped) ++c.tier_count;
  return true;
}

HashedRate hashed_rate(const Fabric& f) {
  if (f.flows == 0) return {};
  const FullestLink fullest = fullest_link(f.flows, f.ways_up);
  const double even = static_cast<double>(f.flows) / static_cast<double>(f.ways_up);
  return {even / fullest.mean, even / static_cast<double>(fullest.at_95)};
}

Fabric read_fabric(Reader r) {
  r.must_be_object();
  read_heading(r, "fabric");
  const auto kind = r.at("kind").choice<FabricKind>();
  const Fabric f = kind == FabricKind::fat_tree ? read_fat_tree(r) : read_dragonfly(r);
  r.reject_unknown();
  return f;
}

void take_fabric(const Reader& r, Cluster& c, std::vector<std::string>& notes) {
  const Fabric f = read_fabric(r);
  check_fits(r, f, c);
  if (!apply_fabric(f, c) || f.flows == 0) return;
  const HashedRate rate = hashed_rate(f);
  notes.push_back("fabric: " + std::to_string(f.flows) + " flows of a leaf hash on " +
                  std::to_string(f.ways_up) + " ways up, which carry " + percent_text(rate.mean) +
                  " of their rate in the mean (this answer), " + percent_text(rate.slow) +
                  " in one step of twenty");
}

}  // namespace orrery
