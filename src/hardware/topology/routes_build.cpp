// SPDX-License-Identifier: Apache-2.0
// The index of routes: arcs by vertex, vertices with a single neighbour, the remaining core, and
// where devices enter it.
#include "hardware/topology/routes.h"
#include "hardware/topology/routes_index.h"

namespace orrery {

Routes::Routes(const TopologyGraph& g)
    : graph_(&g), forward_(gpus_forward(g)), devices_(devices_of(g)) {
  index_arcs();
  prune();
  label_components();
  find_ports();
  distances_.resize(core_.size());
  demand_.resize(core_.size());
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

}  // namespace orrery
