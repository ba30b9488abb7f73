// SPDX-License-Identifier: Apache-2.0
// The index of routes: vertices with a single neighbour, the remaining core, and where devices
// enter it.
#include <algorithm>

#include "hardware/topology/graph_algorithms.h"
#include "hardware/topology/routes.h"
#include "hardware/topology/routes_index.h"

namespace orrery {

Routes::Routes(const TopologyGraph& g)
    : graph_(&g), forward_(gpus_forward(g)), devices_(devices_of(g)) {
  const ArcGraph all = arcs_of(g);
  prune(all);
  link_core();
  find_ports(all);
  component_ = components_of(core_);
  distances_.resize(core_.vertex_count());
  demand_.resize(core_.vertex_count());
}

void Routes::hang(const ArcGraph& all, std::int32_t v, std::vector<std::int32_t>& degree,
                  std::vector<std::int32_t>& leaves) {
  for (const ArcGraph::Arc& a : all.arcs_from(v)) {
    if (!transits(a.to) || degree[at(a.to)] < 0) continue;
    up_[at(v)] = a.id;
    if (--degree[at(a.to)] == 1) leaves.push_back(a.to);
  }
  degree[at(v)] = -1;
}

// Takes vertices with one neighbour away, again and again. Where GPUs forward all are the core.
void Routes::prune(const ArcGraph& all) {
  const std::size_t n = graph_->vertices.size();
  up_.assign(n, kNone);
  std::vector<std::int32_t> degree(n, 0);
  std::vector<std::int32_t> leaves;
  for (std::size_t v = 0; v < n; ++v) {
    const auto vertex = static_cast<std::int32_t>(v);
    for (const ArcGraph::Arc& a : all.arcs_from(vertex)) degree[v] += transits(a.to) ? 1 : 0;
    if (!forward_ && transits(vertex) && degree[v] == 1) leaves.push_back(vertex);
  }
  std::vector<std::int32_t> pruned;
  while (!leaves.empty()) {
    const std::int32_t v = leaves.back();
    leaves.pop_back();
    if (degree[at(v)] != 1) continue;  // its neighbour went first
    hang(all, v, degree, leaves);
    pruned.push_back(v);
  }
  settle_anchors(pruned);
}

void Routes::settle_anchors(const std::vector<std::int32_t>& pruned) {
  const std::size_t n = graph_->vertices.size();
  anchor_.resize(n);
  depth_.assign(n, 0);
  core_index_.assign(n, kNone);
  std::int32_t cores = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const auto vertex = static_cast<std::int32_t>(v);
    anchor_[v] = vertex;
    if (up_[v] == kNone && transits(vertex)) core_index_[v] = cores++;
  }
  for (auto v = pruned.rbegin(); v != pruned.rend(); ++v) {
    const std::int32_t parent = head_of(*graph_, up_[at(*v)]);
    anchor_[at(*v)] = anchor_[at(parent)];
    depth_[at(*v)] = depth_[at(parent)] + 1;
  }
}

void Routes::link_core() {
  std::vector<Ends> ends;
  for (std::size_t l = 0; l < graph_->links.size(); ++l) {
    const std::int32_t a = core_index_[at(graph_->links[l].a)];
    const std::int32_t b = core_index_[at(graph_->links[l].b)];
    if (a == kNone || b == kNone) continue;
    ends.push_back({a, b});
    core_links_.push_back(static_cast<std::int32_t>(l));
  }
  const auto cores = std::count_if(core_index_.begin(), core_index_.end(),
                                   [](std::int32_t index) { return index != kNone; });
  core_ = ArcGraph(static_cast<std::size_t>(cores), ends);
}

void Routes::find_ports(const ArcGraph& all) {
  ports_.resize(devices_.size());
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (forward_) {
      ports_[d].push_back({devices_[d], kNone});
      continue;
    }
    for (const ArcGraph::Arc& a : all.arcs_from(devices_[d])) ports_[d].push_back({a.to, a.id});
  }
}

}  // namespace orrery
