// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/routes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t kMostExplicit = 128;
constexpr std::size_t kMostForwarding = 1024;
constexpr std::size_t kFewLanes = 16;

constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The other end of an arc.
std::int32_t head_of(const TopologyGraph& g, std::int32_t arc) {
  const TopologyLink& l = g.links[at(arc / 2)];
  return arc % 2 == 0 ? l.b : l.a;
}

}  // namespace

Routes::Routes(const TopologyGraph& g)
    : graph_(&g), forward_(gpus_forward(g)), devices_(devices_of(g)) {
  index_arcs();
  prune();
  label_components();
  find_ports();
  distances_.resize(core_.size());
  demand_.resize(core_.size());
}

std::span<const Routes::Arc> Routes::arcs_from(std::int32_t v) const {
  return {arcs_.data() + first_[at(v)], arcs_.data() + first_[at(v) + 1]};
}

bool Routes::transits(std::int32_t v) const {
  return forward_ || graph_->vertices[at(v)].kind != VertexKind::gpu;
}

double Routes::cables(std::int32_t arc) const {
  return static_cast<double>(graph_->links[at(arc / 2)].count);
}

void Routes::index_arcs() {
  const auto& links = graph_->links;
  first_.assign(graph_->vertices.size() + 1, 0);
  for (const TopologyLink& l : links) {
    ++first_[at(l.a) + 1];
    ++first_[at(l.b) + 1];
  }
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  arcs_.resize(2 * links.size());
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto id = static_cast<std::int32_t>(2 * l);
    arcs_[at(next[at(links[l].a)]++)] = {links[l].b, id};
    arcs_[at(next[at(links[l].b)]++)] = {links[l].a, id + 1};
  }
}

void Routes::hang(std::int32_t v, std::vector<std::int32_t>& degree,
                  std::vector<std::int32_t>& leaves) {
  for (const Arc& a : arcs_from(v)) {
    if (!transits(a.to) || degree[at(a.to)] < 0) continue;
    up_[at(v)] = a.id;
    if (--degree[at(a.to)] == 1) leaves.push_back(a.to);
  }
  degree[at(v)] = -1;
}

// Takes vertices with one neighbour away, again and again. Where GPUs forward all are the core.
void Routes::prune() {
  const std::size_t n = graph_->vertices.size();
  up_.assign(n, kNone);
  std::vector<std::int32_t> degree(n, 0);
  std::vector<std::int32_t> leaves;
  for (std::size_t v = 0; v < n; ++v) {
    const auto vertex = static_cast<std::int32_t>(v);
    for (const Arc& a : arcs_from(vertex)) degree[v] += transits(a.to) ? 1 : 0;
    if (!forward_ && transits(vertex) && degree[v] == 1) leaves.push_back(vertex);
  }
  std::vector<std::int32_t> pruned;
  while (!leaves.empty()) {
    const std::int32_t v = leaves.back();
    leaves.pop_back();
    if (degree[at(v)] != 1) continue;  // its neighbour went first
    hang(v, degree, leaves);
    pruned.push_back(v);
  }
  settle_anchors(pruned);
}

void Routes::settle_anchors(const std::vector<std::int32_t>& pruned) {
  const std::size_t n = graph_->vertices.size();
  anchor_.resize(n);
  depth_.assign(n, 0);
  core_index_.assign(n, kNone);
  for (std::size_t v = 0; v < n; ++v) {
    const auto vertex = static_cast<std::int32_t>(v);
    anchor_[v] = vertex;
    if (up_[v] != kNone || !transits(vertex)) continue;
    core_index_[v] = static_cast<std::int32_t>(core_.size());
    core_.push_back(vertex);
  }
  for (auto v = pruned.rbegin(); v != pruned.rend(); ++v) {
    const std::int32_t parent = head_of(*graph_, up_[at(*v)]);
    anchor_[at(*v)] = anchor_[at(parent)];
    depth_[at(*v)] = depth_[at(parent)] + 1;
  }
}

void Routes::find_ports() {
  ports_.resize(devices_.size());
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (forward_) {
      ports_[d].push_back({devices_[d], kNone});
      continue;
    }
    for (const Arc& a : arcs_from(devices_[d])) ports_[d].push_back({a.to, a.id});
  }
}

std::int32_t Routes::core_of(std::int32_t v) const { return core_index_[at(anchor_[at(v)])]; }

// Breadth first from the target over the core.
const std::vector<std::int32_t>& Routes::distances_to(std::int32_t core) {
  auto& d = distances_[at(core)];
  if (!d.empty()) return d;
  d.assign(core_.size(), kNone);
  std::vector<std::int32_t> queue = {core};
  d[at(core)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::int32_t v = queue[i];
    for (const Arc& a : arcs_from(core_[at(v)])) {
      const std::int32_t u = core_index_[at(a.to)];
      if (u == kNone || d[at(u)] != kNone) continue;
      d[at(u)] = d[at(v)] + 1;
      queue.push_back(u);
    }
  }
  return d;
}

// Of two vertices on the same anchor, where their ways up meet.
std::int32_t Routes::meeting(std::int32_t x, std::int32_t y) const {
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
    return outside + up - 2 * depth_[at(meeting(x.vertex, y.vertex))];
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

// What is between the anchors waits in demand_.
void Routes::join(const Port& x, const Port& y, double volume, ArcLoads& loads) {
  if (x.arc != kNone) loads[at(x.arc)] += volume;
  if (y.arc != kNone) loads[at(y.arc ^ 1)] += volume;
  std::int32_t end_x = anchor_[at(x.vertex)];
  std::int32_t end_y = anchor_[at(y.vertex)];
  if (end_x == end_y) {
    end_x = end_y = meeting(x.vertex, y.vertex);
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

// Farthest first, so that all of a vertex's share has come when it is passed on.
void Routes::spread_to(std::int32_t target, ArcLoads& loads) {
  const std::vector<std::int32_t>& d = distances_to(target);
  std::vector<double> share(core_.size(), 0);
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
      const auto nearer = [&](const Arc& a) {
        const std::int32_t u = core_index_[at(a.to)];
        return u != kNone && d[at(u)] + 1 == d[at(v)];
      };
      for (const Arc& a : arcs_from(core_[at(v)])) all += nearer(a) ? cables(a.id) : 0;
      for (const Arc& a : arcs_from(core_[at(v)])) {
        if (!nearer(a)) continue;
        const std::int32_t u = core_index_[at(a.to)];
        const double part = share[at(v)] * cables(a.id) / all;
        if (share[at(u)] == 0) reach(u);
        share[at(u)] += part;
        loads[at(a.id)] += part;
      }
    }
  }
}

void Routes::spread_core(ArcLoads& loads) {
  for (std::size_t target = 0; target < core_.size(); ++target) {
    if (!demand_[target].empty()) spread_to(static_cast<std::int32_t>(target), loads);
  }
}

ArcLoads Routes::loads(std::span<const Flow> flows) {
  ArcLoads loads(arcs_.size(), 0);
  for (const Flow& f : flows) add_flow(f, loads);
  spread_core(loads);
  return loads;
}

void Routes::label_components() {
  component_.assign(core_.size(), kNone);
  for (std::size_t start = 0; start < core_.size(); ++start) {
    if (component_[start] != kNone) continue;
    std::vector<std::int32_t> queue = {static_cast<std::int32_t>(start)};
    component_[start] = queue[0];
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Arc& a : arcs_from(core_[at(queue[i])])) {
        const std::int32_t u = core_index_[at(a.to)];
        if (u == kNone || component_[at(u)] != kNone) continue;
        component_[at(u)] = queue[0];
        queue.push_back(u);
      }
    }
  }
}

// The ports of a device by which it reaches others of its lane, those that hang alike in one order.
std::vector<Routes::Port> Routes::shared_ports(std::int32_t device,
                                               const std::vector<std::int32_t>& users) const {
  std::vector<Port> shared;
  for (const Port& p : ports(device)) {
    if (users[at(component_[at(core_of(p.vertex))])] > 1) shared.push_back(p);
  }
  std::sort(shared.begin(), shared.end(), [&](const Port& x, const Port& y) {
    return std::make_pair(core_of(x.vertex), depth_[at(x.vertex)]) <
           std::make_pair(core_of(y.vertex), depth_[at(y.vertex)]);
  });
  return shared;
}

// What the first of a class uses up to its anchor, another uses too.
void Routes::mark_like(const std::vector<Port>& first, const std::vector<Port>& other,
                       ArcLoads& loads) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto out = at(first[i].arc);
    if (loads[out] == 0 && loads[out ^ 1] == 0) continue;
    for (const bool down : {false, true}) {
      loads[at(other[i].arc ^ (down ? 1 : 0))] += 1;
      climb(other[i].vertex, anchor_[at(other[i].vertex)], 1, down, loads);
    }
  }
}

// Devices that hang alike are routed once: from one of each class to one of every class.
void Routes::add_classes(const Lane& lane, ArcLoads& loads) {
  const std::vector<std::int32_t> users = port_users(lane);
  LanesSeen classes;
  for (const std::int32_t d : lane) {
    LaneKey key;
    for (const Port& p : shared_ports(d, users)) {
      key.emplace_back(core_of(p.vertex), depth_[at(p.vertex)]);
    }
    classes[key].push_back(d);
  }
  for (const auto& [from, sources] : classes) {
    for (const auto& [to, targets] : classes) add_flow({sources[0], targets.back(), 1}, loads);
    if (sources.size() > 1) add_flow({sources.back(), sources[0], 1}, loads);
  }
  for (const auto& [key, alike] : classes) {
    const std::vector<Port> first = shared_ports(alike[0], users);
    for (const std::int32_t d : alike) mark_like(first, shared_ports(d, users), loads);
  }
}

std::vector<std::int32_t> Routes::port_users(const Lane& lane) const {
  std::vector<std::int32_t> users(core_.size(), 0);
  for (const std::int32_t d : lane) {
    for (const Port& p : ports(d)) ++users[at(component_[at(core_of(p.vertex))])];
  }
  return users;
}

// Of many lanes, those whose devices hang like the ones of a lane before use what that one uses.
bool Routes::add_alike(const Lane& lane, LanesSeen& seen, ArcLoads& loads) const {
  const std::vector<std::int32_t> users = port_users(lane);
  std::vector<std::vector<Port>> shared;
  LaneKey key;
  for (const std::int32_t d : lane) {
    shared.push_back(shared_ports(d, users));
    key.emplace_back(kNone, static_cast<std::int32_t>(shared.back().size()));
    for (const Port& p : shared.back()) key.emplace_back(core_of(p.vertex), depth_[at(p.vertex)]);
  }
  const auto [first, is_new] = seen.emplace(std::move(key), lane);
  if (is_new) return false;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    mark_like(shared_ports(first->second[i], users), shared[i], loads);
  }
  return true;
}

void Routes::add_lane(const Lane& lane, ArcLoads& loads) {
  if (!forward_ && lane.size() > kMostExplicit) return add_classes(lane, loads);
  for (const std::int32_t a : lane) {
    for (const std::int32_t b : lane) add_flow({a, b, 1}, loads);
  }
}

ArcLoads Routes::arcs_between(std::span<const Part> parts) {
  std::size_t lanes = 0;
  std::size_t devices = 0;
  for (const Part& p : parts) {
    lanes = std::max(lanes, p.size());
    devices += p.size();
  }
  if (forward_ && devices > kMostForwarding) return ArcLoads(arcs_.size(), 1);
  ArcLoads loads(arcs_.size(), 0);
  LanesSeen seen;
  for (std::size_t k = 0; k < lanes; ++k) {
    Lane lane;
    for (const Part& p : parts) {
      if (k < p.size()) lane.push_back(p[k]);
    }
    if (forward_ || lanes <= kFewLanes || !add_alike(lane, seen, loads)) add_lane(lane, loads);
  }
  spread_core(loads);
  return loads;
}

}  // namespace orrery
