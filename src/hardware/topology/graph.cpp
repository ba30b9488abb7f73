// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph.h"

#include <cstddef>

namespace orrery {
namespace {

// The vertices that links join to `start`, by any path.
std::vector<bool> joined_to(const TopologyGraph& g, std::int32_t start) {
  std::vector<std::vector<std::int32_t>> neighbours(g.vertices.size());
  for (const TopologyLink& l : g.links) {
    neighbours[static_cast<std::size_t>(l.a)].push_back(l.b);
    neighbours[static_cast<std::size_t>(l.b)].push_back(l.a);
  }
  std::vector<bool> joined(g.vertices.size());
  std::vector<std::int32_t> found{start};
  joined[static_cast<std::size_t>(start)] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::int32_t v : neighbours[static_cast<std::size_t>(found[i])]) {
      if (joined[static_cast<std::size_t>(v)]) continue;
      joined[static_cast<std::size_t>(v)] = true;
      found.push_back(v);
    }
  }
  return joined;
}

}  // namespace

std::int32_t add_vertex(TopologyGraph& g, std::string name, VertexKind kind) {
  g.vertices.push_back({std::move(name), kind});
  return static_cast<std::int32_t>(g.vertices.size() - 1);
}

void add_link(TopologyGraph& g, std::int32_t a, std::int32_t b, BytesPerSecond bandwidth,
              std::int64_t count, Seconds latency) {
  g.links.push_back({a, b, bandwidth, count, latency});
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
  const std::vector<bool> joined = joined_to(g, devices[0]);
  for (const std::int32_t d : devices) {
    if (!joined[static_cast<std::size_t>(d)]) return std::make_pair(devices[0], d);
  }
  return {};
}

}  // namespace orrery
