// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/routes.h"

#include "hardware/topology/graph_algorithms.h"
#include "hardware/topology/routes_index.h"

namespace orrery {

bool Routes::transits(std::int32_t v) const {
  return forward_ || graph_->vertices[at(v)].kind != VertexKind::gpu;
}

double Routes::cables(std::int32_t arc) const {
  return static_cast<double>(graph_->links[at(arc / 2)].count);
}

std::int32_t Routes::core_of(std::int32_t v) const { return core_index_[at(anchor_[at(v)])]; }

const std::vector<std::int32_t>& Routes::distances_to(std::int32_t core) {
  auto& d = distances_[at(core)];
  if (d.empty()) d = hops_from(core_, {&core, 1});
  return d;
}

// The lowest common ancestor of two vertices on the same anchor: the vertex where their paths join.
std::int32_t Routes::common_ancestor(std::int32_t x, std::int32_t y) const {
  while (x != y) {
    std::int32_t& lower = depth_[at(x)] > depth_[at(y)] ? x : y;
    lower = head_of(*graph_, up_[at(lower)]);
  }
  return x;
}

std::int32_t Routes::port_hops(const Port& x, const Port& y) {
  const std::int32_t outside = (x.arc == kNone ? 0 : 1) + (y.arc == kNone ? 0 : 1);
  const std::int32_t up = depth_[at(x.vertex)] + depth_[at(y.vertex)];
  if (anchor_[at(x.vertex)] == anchor_[at(y.vertex)]) {
    return outside + up - 2 * depth_[at(common_ancestor(x.vertex, y.vertex))];
  }
  const std::int32_t through = distances_to(core_of(y.vertex))[at(core_of(x.vertex))];
  return through == kNone ? kNone : outside + up + through;
}

std::int32_t Routes::hops(std::int32_t from, std::int32_t to) {
  std::int32_t least = kNone;
  for (const Port& x : ports(from)) {
    for (const Port& y : ports(to)) {
      const std::int32_t n = port_hops(x, y);
      if (n != kNone && (least == kNone || n < least)) least = n;
    }
  }
  return least;
}

void Routes::climb(std::int32_t v, std::int32_t end, double volume, bool down,
                   ArcLoads& loads) const {
  while (v != end) {
    const std::int32_t arc = up_[at(v)];
    loads[at(down ? arc ^ 1 : arc)] += volume;
    v = head_of(*graph_, arc);
  }
}

// The flow between the anchors is kept in demand_.
void Routes::join(const Port& x, const Port& y, double volume, ArcLoads& loads) {
  if (x.arc != kNone) loads[at(x.arc)] += volume;
  if (y.arc != kNone) loads[at(y.arc ^ 1)] += volume;
  std::int32_t end_x = anchor_[at(x.vertex)];
  std::int32_t end_y = anchor_[at(y.vertex)];
  if (end_x == end_y) {
    end_x = end_y = common_ancestor(x.vertex, y.vertex);
  } else {
    demand_[at(core_index_[at(end_y)])].push_back({core_index_[at(end_x)], volume});
  }
  climb(x.vertex, end_x, volume, false, loads);
  climb(y.vertex, end_y, volume, true, loads);
}

void Routes::add_flow(const Flow& f, ArcLoads& loads) {
  if (f.from == f.to) return;
  const std::int32_t least = hops(f.from, f.to);
  if (least == kNone) return;
  const auto weight = [&](const Port& x, const Port& y) {
    if (port_hops(x, y) != least) return 0.0;
    return (x.arc == kNone ? 1 : cables(x.arc)) * (y.arc == kNone ? 1 : cables(y.arc));
  };
  double all = 0;
  for (const Port& x : ports(f.from)) {
    for (const Port& y : ports(f.to)) all += weight(x, y);
  }
  for (const Port& x : ports(f.from)) {
    for (const Port& y : ports(f.to)) {
      const double part = weight(x, y);
      if (part > 0) join(x, y, f.volume * part / all, loads);
    }
  }
}

// The arc of the graph that an arc of the core is.
std::int32_t Routes::arc_of(const ArcGraph::Arc& a) const {
  return 2 * core_links_[at(a.id / 2)] + a.id % 2;
}

// Farthest first, so that all of a vertex's share has come when it is passed on.
void Routes::spread_to(std::int32_t target, ArcLoads& loads) {
  const std::vector<std::int32_t>& d = distances_to(target);
  std::vector<double> share(core_.vertex_count(), 0);
  std::vector<std::vector<std::int32_t>> by_distance;
  const auto reach = [&](std::int32_t v) {
    const std::size_t far = at(d[at(v)]);
    if (far >= by_distance.size()) by_distance.resize(far + 1);
    by_distance[far].push_back(v);
  };
  for (const Source& s : demand_[at(target)]) {
    if (share[at(s.core)] == 0) reach(s.core);
    share[at(s.core)] += s.volume;
  }
  demand_[at(target)].clear();
  for (std::size_t far = by_distance.size(); far-- > 1;) {
    const std::vector<std::int32_t> here = by_distance[far];
    for (const std::int32_t v : here) {
      double all = 0;
      const auto nearer = [&](const ArcGraph::Arc& a) { return d[at(a.to)] + 1 == d[at(v)]; };
      for (const ArcGraph::Arc& a : core_.arcs_from(v)) all += nearer(a) ? cables(arc_of(a)) : 0;
      for (const ArcGraph::Arc& a : core_.arcs_from(v)) {
        if (!nearer(a)) continue;
        const std::int32_t arc = arc_of(a);
        const double part = share[at(v)] * cables(arc) / all;
        if (share[at(a.to)] == 0) reach(a.to);
        share[at(a.to)] += part;
        loads[at(arc)] += part;
      }
    }
  }
}

void Routes::spread_core(ArcLoads& loads) {
  for (std::size_t target = 0; target < demand_.size(); ++target) {
    if (!demand_[target].empty()) spread_to(static_cast<std::int32_t>(target), loads);
  }
}

ArcLoads Routes::loads(std::span<const Flow> flows) {
  ArcLoads loads(2 * graph_->links.size(), 0);
  for (const Flow& f : flows) add_flow(f, loads);
  spread_core(loads);
  return loads;
}

}  // namespace orrery
