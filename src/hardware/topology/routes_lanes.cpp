// SPDX-License-Identifier: Apache-2.0
// Which arcs the routes of whole groups use. A lane is the k-th device of every part; devices, and
// lanes, that hang alike are routed once.
#include <algorithm>
#include <utility>

#include "hardware/topology/routes.h"
#include "hardware/topology/routes_index.h"

namespace orrery {
namespace {

constexpr std::size_t kMostExplicit = 128;
constexpr std::size_t kMostForwarding = 1024;
constexpr std::size_t kFewLanes = 16;

}  // namespace

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

// A device of a class uses the same route to its anchor as the first of the class.
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
  std::vector<std::int32_t> users(core_.vertex_count(), 0);
  for (const std::int32_t d : lane) {
    for (const Port& p : ports(d)) ++users[at(component_[at(core_of(p.vertex))])];
  }
  return users;
}

// With many lanes, a lane whose devices are attached like those of an earlier one uses its routes.
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
  if (forward_ && devices > kMostForwarding) return ArcLoads(2 * graph_->links.size(), 1);
  ArcLoads loads(2 * graph_->links.size(), 0);
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
