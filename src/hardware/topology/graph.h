// SPDX-License-Identifier: Apache-2.0
//
// The network of a node or a cluster as vertices and links, where tiers are not enough.
//
// A link is full duplex: `bandwidth` each way, of each of its `count` parallel cables. GPU vertices
// are devices, numbered as they come. Leaves out buffers, arbitration and adaptive routing. Units:
// SI. Errors: none here; topology/graph_reader.h makes graphs from JSON, topology/builders.h from
// parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "hardware/topology/arc_graph.h"
#include "orrery/quantity.h"

namespace orrery {

enum class VertexKind : std::uint8_t { gpu, router, nic, host };
constexpr EnumNames<VertexKind> names_of(VertexKind) { return {"gpu", "switch", "nic", "host"}; }

struct TopologyVertex {
  std::string name;
  VertexKind kind = VertexKind::router;
};

struct TopologyLink {
  std::int32_t a = 0;
  std::int32_t b = 0;
  BytesPerSecond bandwidth{};
  std::int64_t count = 1;
  Seconds latency{};
};

struct TopologyGraph {
  std::vector<TopologyVertex> vertices;
  std::vector<TopologyLink> links;
};

inline constexpr std::size_t kMostVertices = 2'000'000;
inline constexpr std::size_t kMostLinks = 4'000'000;

std::int32_t add_vertex(TopologyGraph& g, std::string name, VertexKind kind);
void add_link(TopologyGraph& g, std::int32_t a, std::int32_t b, BytesPerSecond bandwidth,
              std::int64_t count = 1, Seconds latency = {});

// The links alone: arc 2l goes from a to b of link l, arc 2l + 1 back.
ArcGraph arcs_of(const TopologyGraph& g);

// The vertices of the devices, in their order.
std::vector<std::int32_t> devices_of(const TopologyGraph& g);

// Whether GPUs pass on what is not theirs: where GPUs are linked to each other.
bool gpus_forward(const TopologyGraph& g);

// Two devices (vertices) that no path joins.
std::optional<std::pair<std::int32_t, std::int32_t>> parted_devices(const TopologyGraph& g);

}  // namespace orrery
