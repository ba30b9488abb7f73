// SPDX-License-Identifier: Apache-2.0
#include "hardware/tier_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/divide.h"
#include "core/units.h"
#include "hardware/dimensions.h"
#include "hardware/node_keys.h"

namespace orrery {
namespace {

Name read_name(const Reader& r) {
  const std::string name = r.text();
  if (name.empty() || name.size() > kLongestName) {
    r.fail("a name of 1 to " + std::to_string(kLongestName) + " bytes");
  }
  return make_name(name);
}

std::int64_t group_members(const Reader& entry, const std::string& key) {
  const std::optional<double> n = parse_number(key);
  if (!n || *n != std::floor(*n) || *n < 2 || *n > 1e6) {
    entry.fail("\"" + key + "\"", "a number of members, at least 2");
  }
  return static_cast<std::int64_t>(*n);
}

std::vector<GroupBandwidth> group_entries(Reader r) {
  std::vector<GroupBandwidth> entries;
  for (const std::string& key : r.keys()) {
    const Reader entry = r.at(key);
    entries.push_back({group_members(entry, key), entry.quantity<kRate>()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.members < b.members; });
  return entries;
}

// Links that join can only add up, and never to more than the child has.
void check_rising(const Reader& r, const std::vector<GroupBandwidth>& entries,
                  BytesPerSecond whole) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].bandwidth < entries[i - 1].bandwidth ||
        entries[i].members == entries[i - 1].members) {
      r.fail("a bandwidth that does not rise with the members", "one that does");
    }
  }
  if (!entries.empty() && entries.back().bandwidth > whole) {
    r.fail("more than `bandwidth`", "at most " + exact(whole));
  }
}

void read_exchange_share(Reader r, Tier& t) {
  for (const std::string& key : r.keys()) {
    const Reader entry = r.at(key);
    const std::int64_t members = group_members(entry, key);
    auto* const end = t.group_bandwidth.begin() + t.group_sizes;
    auto* const found = std::find_if(t.group_bandwidth.begin(), end,
                                     [&](const GroupBandwidth& g) { return g.members == members; });
    if (found == end) entry.fail("\"" + key + "\"", "a size of `group_bandwidth`");
    found->exchange_share = entry.number(node_forms::kAttained.least, 1);
  }
}

void read_group_bandwidth(const Reader& r, Tier& t) {
  const std::vector<GroupBandwidth> entries = group_entries(r);
  if (entries.size() > kMaxGroupSizes) {
    r.fail(std::to_string(entries.size()) + " group sizes",
           "at most " + std::to_string(kMaxGroupSizes));
  }
  check_rising(r, entries, t.bandwidth);
  t.group_sizes = static_cast<std::uint8_t>(entries.size());
  std::copy(entries.begin(), entries.end(), t.group_bandwidth.begin());
}

void read_exchange(Reader& r, Tier& t) {
  t.exchange_efficiency = t.efficiency;
  const auto reached = r.find("exchange_efficiency");
  if (reached) t.exchange_efficiency = reached->number(node_forms::kAttained.least, t.efficiency);
}

void read_reduction(Reader& r, Tier& t) {
  const auto reached = r.find("reduction_efficiency");
  if (reached) t.reduction_efficiency = reached->number(t.efficiency, node_forms::kReduction.most);
  if (t.in_network_reduction && !reached) r.at("reduction_efficiency");
  t.reduction_latency = t.latency * 2.0;  // up and down
  if (auto time = r.find("reduction_latency")) t.reduction_latency = time->quantity<kSeconds>(true);
}

void read_links(Reader& r, Tier& t) {
  const auto links = r.find("links");
  const auto per_rank = r.find("links_per_rank");
  const auto channels = r.find("collective_links");
  if (!links) {
    if (per_rank || channels) r.at("links");
    return;
  }
  const std::int64_t count = links->integer(1, node_forms::kLinks.highest);
  const std::int64_t filled = per_rank ? per_rank->integer(1, count) : 1;
  t.rank_share = static_cast<double>(filled) / static_cast<double>(count);
  const std::int64_t used = channels ? channels->integer(1, count) : count;
  t.channel_share = static_cast<double>(used) / static_cast<double>(count);
}

void read_rates(Reader& r, bool has_graph, Tier& t) {
  const auto groups = r.find("group_bandwidth");
  if (has_graph && !groups && !r.has("bandwidth")) return;
  t.bandwidth = r.at("bandwidth").quantity<kRate>();
  if (groups) read_group_bandwidth(*groups, t);
  if (const auto shares = r.find("exchange_share")) read_exchange_share(*shares, t);
}

Tier read_tier(Reader r, bool has_graph) {
  Tier t;
  t.name = read_name(r.at("name"));
  read_known(kTierKeys, r, t);
  read_rates(r, has_graph, t);
  read_exchange(r, t);
  read_reduction(r, t);
  read_links(r, t);
  check_times(r, kTierKeys);
  r.reject_unknown();
  return t;
}

void check_inner_size(const Reader& r, std::int64_t size, std::int64_t inside) {
  if (size == 0) r.fail("no size", "a `size`: only the outermost tier is the whole cluster");
  if (size % inside != 0 || size == inside) {
    r.fail("a size of " + std::to_string(size),
           "two or more times the " + std::to_string(inside) + " devices of the tier inside it");
  }
}

// Whole units of the tier inside, even where the cluster ends within one.
std::int64_t outermost_size(const Reader& r, const Tier& t, std::int64_t gpus,
                            std::int64_t inside) {
  if (t.size != 0) {
    r.fail("a size of " + std::to_string(t.size), "none: the outermost tier is the whole cluster");
  }
  return rounded_up(std::max(gpus, inside), inside);
}

// Overrides name tiers, so names must differ.
void check_name_is_new(const Reader& r, const Tier& t, const Cluster& c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (c.tiers[i].name == t.name) {
      r.fail("a second tier \"" + std::string(t.name.view()) + "\"", "each name once");
    }
  }
}

}  // namespace

bool is_time(const Key& key) {
  const Form& form = key.forms.front();
  return form.kind == FormKind::quantity && form.dimension == kSeconds;
}

void check_short(const Reader& time) {
  constexpr Seconds kMost(1.0);
  if (time.quantity<kSeconds>(true) > kMost) time.fail("a time up to 1 s, such as \"4 us\"");
}

void check_times(Reader& r, const KeyTable& keys) {
  for (const Key& key : keys.keys) {
    const std::string name(key.name);
    if (is_time(key) && r.has(name)) check_short(r.at(name));
  }
}

void read_tiers(const Reader& r, bool has_graph, Cluster& c) {
  const std::vector<Reader> items = r.items();
  if (items.empty() || items.size() > kMaxTiers) {
    r.fail("1 to " + std::to_string(kMaxTiers) + " tiers");
  }
  std::int64_t inside = 1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Tier t = read_tier(items[i], has_graph);
    check_name_is_new(items[i], t, c, i);
    if (i + 1 == items.size()) {
      if (t.block) items[i].fail("a block that is part of no tier", "`block` for inner tiers only");
      t.size = outermost_size(items[i], t, c.gpus, inside);
    } else {
      check_inner_size(items[i], t.size, inside);
    }
    inside = t.size;
    c.tiers[i] = t;
  }
  c.tier_count = static_cast<std::uint8_t>(items.size());
}

}  // namespace orrery
