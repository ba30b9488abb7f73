// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph.h"

#include <cstddef>

#include "hardware/topology/graph_algorithms.h"

namespace orrery {

std::int32_t add_vertex(TopologyGraph& g, std::string name, VertexKind kind) {
  g.vertices.push_back({std::move(name), kind});
  return static_cast<std::int32_t>(g.vertices.size() - 1);
}

void add_link(TopologyGraph& g, std::int32_t a, std::int32_t b, BytesPerSecond bandwidth,
              std::int64_t count, Seconds latency) {
  g.links.push_back({a, b, bandwidth, count, latency});
}

ArcGraph arcs_of(const TopologyGraph& g) {
  std::vector<Ends> ends;
  ends.reserve(g.links.size());
  for (const TopologyLink& l : g.links) ends.push_back({l.a, l.b});
  return {g.vertices.size(), ends};
}

std::vector<std::int32_t> devices_of(const TopologyGraph& g) {
  std::vector<std::int32_t> devices;
  for (std::size_t v = 0; v < g.vertices.size(); ++v) {
    if (g.vertices[v].kind == VertexKind::gpu) devices.push_back(static_cast<std::int32_t>(v));
  }
  return devices;
}

bool gpus_forward(const TopologyGraph& g) {
  const auto is_gpu = [&](std::int32_t v) {
    return g.vertices[static_cast<std::size_t>(v)].kind == VertexKind::gpu;
  };
  for (const TopologyLink& l : g.links) {
    if (is_gpu(l.a) && is_gpu(l.b)) return true;
  }
  return false;
}

std::optional<std::pair<std::int32_t, std::int32_t>> parted_devices(const TopologyGraph& g) {
  const std::vector<std::int32_t> devices = devices_of(g);
  if (devices.empty()) return {};
  const std::vector<std::int32_t> components = components_of(arcs_of(g));
  const auto component = [&](std::int32_t v) { return components[static_cast<std::size_t>(v)]; };
  for (const std::int32_t d : devices) {
    if (component(d) != component(devices[0])) return std::make_pair(devices[0], d);
  }
  return {};
}

}  // namespace orrery
