// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph_fold.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "hardware/topology/cut.h"

namespace orrery {
namespace {

constexpr std::size_t kMostGroups = 8;
constexpr std::size_t kMostChildren = 16;
constexpr std::size_t kLarge = 4096;  // vertices: what looks alike is tried once
constexpr int kRounds = 5;
constexpr double kStraight = 1e-3;  // what lies this near to the line between its neighbours

using Colours = std::vector<std::uint64_t>;

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t rate_colour(const TopologyLink& l) {
  return mixed(static_cast<std::uint64_t>(l.bandwidth.si() * static_cast<double>(l.count)));
}

// Vertices of one colour have alike surroundings over the arcs that carry a load.
Colours refined(const TopologyGraph& g, Colours colours, const ArcLoads& usable) {
  std::vector<std::uint64_t> rates;
  rates.reserve(g.links.size());
  for (const TopologyLink& l : g.links) rates.push_back(rate_colour(l));
  for (int round = 0; round < kRounds; ++round) {
    Colours next = colours;
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const auto a = static_cast<std::size_t>(g.links[l].a);
      const auto b = static_cast<std::size_t>(g.links[l].b);
      if (usable[2 * l] > 0) next[a] += mixed(colours[b] ^ rates[l]);
      if (usable[2 * l + 1] > 0) next[b] += mixed(colours[a] ^ rates[l]);
    }
    for (auto& c : next) c = mixed(c);
    colours = std::move(next);
  }
  return colours;
}

Colours kinds_of(const TopologyGraph& g) {
  Colours colours;
  for (const TopologyVertex& v : g.vertices) {
    colours.push_back(mixed(static_cast<std::uint64_t>(v.kind)));
  }
  return colours;
}

std::uint64_t colour_of(const Routes& r, const Part& part, const Colours& colours) {
  std::uint64_t sum = 0;
  for (const std::int32_t d : part) sum += mixed(colours[static_cast<std::size_t>(r.vertex_of(d))]);
  return sum;
}

Part joined(std::span<const Part> parts, std::size_t but) {
  Part all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != but) all.insert(all.end(), parts[i].begin(), parts[i].end());
  }
  return all;
}

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// The parts of a group whose cut may differ.
std::vector<std::size_t> unlike(const Routes& r, std::span<const Part> group,
                                const ArcLoads& usable) {
  std::vector<std::size_t> picked;
  Colours colours;
  std::set<std::uint64_t> seen;
  if (group.size() > kMostChildren || r.graph().vertices.size() > kLarge) {
    colours = kinds_of(r.graph());
    for (const Part& p : group) {
      for (const std::int32_t d : p) colours[static_cast<std::size_t>(r.vertex_of(d))] += 1;
    }
    colours = refined(r.graph(), std::move(colours), usable);
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (colours.empty() || seen.insert(colour_of(r, group[i], colours)).second) picked.push_back(i);
  }
  return picked;
}

BytesPerSecond slowest_cut(Routes& r, std::span<const Part> group) {
  const ArcLoads usable = r.arcs_between(group);
  const Cuts cuts(r, usable);
  BytesPerSecond least;
  for (const std::size_t i : unlike(r, group, usable)) {
    const BytesPerSecond cut = cuts.between(group[i], joined(group, i));
    if (least == BytesPerSecond() || cut < least) least = cut;
  }
  return least;
}

BytesPerSecond half_cut(Routes& r, std::span<const Part> group) {
  const std::size_t half = group.size() / 2;
  return Cuts(r, r.arcs_between(group))
      .between(joined(group.first(half), kNobody), joined(group.subspan(half), kNobody));
}

// Groups of m side by side in units of `fan` children.
std::vector<std::span<const Part>> all_groups(const std::vector<Part>& children, std::size_t fan,
                                              std::size_t m) {
  std::vector<std::span<const Part>> groups;
  const std::span<const Part> all(children);
  for (std::size_t unit = 0; unit + fan <= all.size(); unit += fan) {
    for (std::size_t i = 0; i + m <= fan; i += m) groups.push_back(all.subspan(unit + i, m));
  }
  return groups;
}

std::vector<std::size_t> group_sizes(std::size_t fan) {
  std::vector<std::size_t> sizes;
  for (std::size_t m = 2; m < fan; m *= 2) sizes.push_back(m);
  sizes.push_back(fan);
  return sizes;
}

Seconds route_latency(Routes& r, std::int32_t from, std::int32_t to) {
  const Flow flow{from, to, 1};
  const ArcLoads loads = r.loads({&flow, 1});
  Seconds sum;
  for (std::size_t arc = 0; arc < loads.size(); ++arc) {
    sum += r.graph().links[arc / 2].latency * loads[arc];
  }
  return sum;
}

Seconds longest_step(Routes& r, std::span<const Part> unit) {
  const auto& links = r.graph().links;
  Seconds longest;
  if (std::all_of(links.begin(), links.end(),
                  [](const TopologyLink& l) { return l.latency == Seconds(); })) {
    return longest;
  }
  for (std::size_t i = 0; i + 1 < std::min(unit.size(), kMostGroups); ++i) {
    longest = std::max(longest, route_latency(r, unit[i].front(), unit[i + 1].front()));
  }
  return longest;
}

bool on_line(const GroupBandwidth& a, const GroupBandwidth& b, const GroupBandwidth& c) {
  const double part =
      static_cast<double>(b.members - a.members) / static_cast<double>(c.members - a.members);
  const BytesPerSecond straight = a.bandwidth + (c.bandwidth - a.bandwidth) * part;
  return std::abs(b.bandwidth / straight - 1) < kStraight;
}

// Rates that line_rate() interpolates are left out; if there are still too many, the slower value
// replaces those left out.
std::vector<GroupBandwidth> shortened(std::vector<GroupBandwidth> rates) {
  for (std::size_t i = 1; i + 1 < rates.size();) {
    if (on_line(rates[i - 1], rates[i], rates[i + 1])) {
      rates.erase(rates.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  while (rates.size() > kMaxGroupSizes) rates.erase(rates.end() - 2);
  if (rates.size() == 2 && std::abs(rates[0].bandwidth / rates[1].bandwidth - 1) < kStraight) {
    rates.erase(rates.begin());
  }
  return rates;
}

void put_rates(Tier& t, const std::vector<GroupBandwidth>& rates) {
  const std::vector<GroupBandwidth> few = shortened(rates);
  t.bandwidth = few.back().bandwidth;
  t.group_sizes = few.size() == 1 ? 0 : static_cast<std::uint8_t>(few.size());
  t.group_bandwidth = {};
  if (t.group_sizes > 0) std::copy(few.begin(), few.end(), t.group_bandwidth.begin());
}

// Only a switch adds, and in an innermost tier only one that all devices of a unit hang on.
bool may_reduce(const TopologyGraph& g, std::int64_t inside, std::int64_t size) {
  const std::vector<std::int32_t> devices = devices_of(g);
  std::vector<std::set<std::int32_t>> linked(g.vertices.size());  // to each switch, of one unit
  const std::set<std::int32_t> unit(devices.begin(), devices.begin() + size);
  bool any = false;
  for (std::size_t v = 0; v < g.vertices.size(); ++v)
    any |= g.vertices[v].kind == VertexKind::router;
  if (inside > 1 || !any) return any;
  const auto note = [&](std::int32_t v, std::int32_t device) {
    const auto at = static_cast<std::size_t>(v);
    if (g.vertices[at].kind == VertexKind::router && unit.count(device) > 0)
      linked[at].insert(device);
  };
  for (const TopologyLink& l : g.links) {
    note(l.a, l.b);
    note(l.b, l.a);
  }
  return std::any_of(linked.begin(), linked.end(),
                     [&](const auto& of) { return static_cast<std::int64_t>(of.size()) == size; });
}

std::int64_t inside_of(const Cluster& c, std::size_t i) { return i == 0 ? 1 : c.tiers[i - 1].size; }

}  // namespace

std::vector<Part> children_of(const Routes& r, std::int64_t inside) {
  const auto devices = static_cast<std::int64_t>(r.device_count());
  std::vector<Part> children(static_cast<std::size_t>(devices / inside));
  for (std::int64_t d = 0; d < devices / inside * inside; ++d) {
    children[static_cast<std::size_t>(d / inside)].push_back(static_cast<std::int32_t>(d));
  }
  return children;
}

std::vector<std::span<const Part>> unlike_groups(const Routes& r, const std::vector<Part>& children,
                                                 std::size_t fan, std::size_t m) {
  const std::vector<std::span<const Part>> groups = all_groups(children, fan, m);
  if (groups.size() <= kMostGroups && r.graph().vertices.size() <= kLarge) return groups;
  const std::size_t least = r.graph().vertices.size() > kLarge ? 1 : kMostGroups;
  const ArcLoads every(2 * r.graph().links.size(), 1);
  const Colours colours = refined(r.graph(), kinds_of(r.graph()), every);
  std::vector<std::span<const Part>> picked;
  std::set<std::uint64_t> seen;
  for (const auto& group : groups) {
    std::uint64_t signature = 0;
    for (const Part& p : group) signature += mixed(colour_of(r, p, colours));
    if (seen.insert(signature).second || picked.size() < least) picked.push_back(group);
  }
  return picked;
}

GraphTier graph_tier(Routes& r, std::int64_t inside, std::int64_t size) {
  const std::vector<Part> children = children_of(r, inside);
  const auto fan = static_cast<std::size_t>(size / inside);
  GraphTier tier;
  for (const std::size_t m : group_sizes(fan)) {
    BytesPerSecond least;
    for (const auto& group : unlike_groups(r, children, fan, m)) {
      const BytesPerSecond cut = slowest_cut(r, group);
      if (least == BytesPerSecond() || cut < least) least = cut;
    }
    if (!tier.rates.empty()) least = std::max(least, tier.rates.back().bandwidth);
    tier.rates.push_back({static_cast<std::int64_t>(m), least});
  }
  tier.latency = longest_step(r, std::span<const Part>(children).first(fan));
  return tier;
}

BytesPerSecond half_to_half(Routes& r) { return half_cut(r, children_of(r, 1)); }

bool covers(const Cluster& c, std::int64_t graph_devices, std::size_t i) {
  if (i + 1 < c.tier_count) return c.tiers[i].size <= graph_devices;
  return graph_devices > inside_of(c, i);
}

std::int64_t unit_in(const Cluster& c, const Routes& r, std::size_t i) {
  const auto devices = static_cast<std::int64_t>(r.device_count());
  if (i + 1U < c.tier_count) return c.tiers[i].size;
  return devices / inside_of(c, i) * inside_of(c, i);
}

void fold_tier(Cluster& c, Routes& r, std::size_t i) {
  const std::int64_t inside = inside_of(c, i);
  const GraphTier t = graph_tier(r, inside, unit_in(c, r, whole_tier(c, i)));
  put_rates(c.tiers[i], t.rates);
  c.tiers[i].in_network_reduction &= may_reduce(r.graph(), inside, unit_in(c, r, i));
  c.tiers[i].latency += t.latency;
}

void fold_onto(Cluster& c, Routes& r) {
  const auto devices = static_cast<std::int64_t>(r.device_count());
  for (std::size_t i = 0; i < c.tier_count && covers(c, devices, i); ++i) fold_tier(c, r, i);
}

}  // namespace orrery
