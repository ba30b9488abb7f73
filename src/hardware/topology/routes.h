// SPDX-License-Identifier: Apache-2.0
//
// Shortest routes between the devices of a topology graph.
//
// A route has the fewest hops there are; of equally short ones all are used, split evenly over
// cables. On a dragonfly that is minimal routing: at most one global hop, over all cables of the
// two groups. A GPU passes on other GPUs' traffic only in graphs that link GPUs to each other. A
// vertex with a single neighbour (a card on its switch) takes no part in the search. A tree of
// distances is built for each switch with devices when it is first needed, and kept; 10,000 GPUs of
// a fat tree have about a hundred of them.
//
// Leaves out adaptive and Valiant routing and congestion. Errors: none; the graph is sound
// (topology/graph_reader.h) and outlives the routes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hardware/topology/arc_graph.h"
#include "hardware/topology/graph.h"

namespace orrery {

// By arc: arc 2l goes from a to b of link l, arc 2l + 1 back.
using ArcLoads = std::vector<double>;

// Devices of one member of a group: one GPU, or all GPUs of a unit.
using Part = std::vector<std::int32_t>;

struct Flow {
  std::int32_t from = 0;  // devices
  std::int32_t to = 0;
  double volume = 1;
};

class Routes {
 public:
  explicit Routes(const TopologyGraph& g);

  static constexpr std::int32_t kNone = -1;

  const TopologyGraph& graph() const { return *graph_; }
  std::size_t device_count() const { return devices_.size(); }
  std::int32_t vertex_of(std::int32_t device) const {
    return devices_[static_cast<std::size_t>(device)];
  }

  // Between two devices; kNone where no route is.
  std::int32_t hops(std::int32_t from, std::int32_t to);

  // The load of each arc by these flows; flows without a route are left out.
  ArcLoads loads(std::span<const Flow> flows);

  // Positive for the arcs on the shortest routes from the k-th device of every part to the k-th of
  // every other. With more than 128 parts, devices on the same switch are assumed to meet at that
  // switch at the nearest; with more than 16 devices a part, equally attached devices are assumed
  // to use equal routes; with more than 1024 devices that forward traffic, all arcs count.
  ArcLoads arcs_between(std::span<const Part> parts);

 private:
  struct Port {  // where a device enters the network
    std::int32_t vertex;
    std::int32_t arc;  // from the device; kNone: the device itself
  };
  struct Source {
    std::int32_t core;
    double volume;
  };
  using Lane = std::vector<std::int32_t>;
  using LaneKey = std::vector<std::pair<std::int32_t, std::int32_t>>;  // core vertex and depth
  using LanesSeen = std::map<LaneKey, Lane>;

  const std::vector<Port>& ports(std::int32_t device) const {
    return ports_[static_cast<std::size_t>(device)];
  }
  bool transits(std::int32_t v) const;
  double cables(std::int32_t arc) const;
  void prune(const ArcGraph& all);
  void hang(const ArcGraph& all, std::int32_t v, std::vector<std::int32_t>& degree,
            std::vector<std::int32_t>& leaves);
  void settle_anchors(const std::vector<std::int32_t>& pruned);
  void link_core();
  void find_ports(const ArcGraph& all);
  const std::vector<std::int32_t>& distances_to(std::int32_t core);
  std::int32_t core_of(std::int32_t v) const;
  std::int32_t common_ancestor(std::int32_t x, std::int32_t y) const;
  std::int32_t port_hops(const Port& x, const Port& y);
  void climb(std::int32_t v, std::int32_t end, double volume, bool down, ArcLoads& loads) const;
  void join(const Port& x, const Port& y, double volume, ArcLoads& loads);
  void add_flow(const Flow& f, ArcLoads& loads);
  std::int32_t arc_of(const ArcGraph::Arc& a) const;
  void spread_core(ArcLoads& loads);
  void spread_to(std::int32_t target, ArcLoads& loads);
  std::vector<std::int32_t> port_users(const Lane& lane) const;
  bool add_alike(const Lane& lane, LanesSeen& seen, ArcLoads& loads) const;
  void add_lane(const Lane& lane, ArcLoads& loads);
  void add_classes(const Lane& lane, ArcLoads& loads);
  void mark_like(const std::vector<Port>& first, const std::vector<Port>& other,
                 ArcLoads& loads) const;
  std::vector<Port> shared_ports(std::int32_t device, const std::vector<std::int32_t>& users) const;

  const TopologyGraph* graph_;
  bool forward_;
  std::vector<std::int32_t> devices_;
  std::vector<std::int32_t> up_;      // arc towards the core; kNone: in the core
  std::vector<std::int32_t> anchor_;  // the core vertex a vertex hangs on
  std::vector<std::int32_t> depth_;
  std::vector<std::int32_t> core_index_;              // of core vertices; kNone else
  ArcGraph core_;                                     // of core vertices, by core index
  std::vector<std::int32_t> core_links_;              // links of the graph by those of core_
  std::vector<std::int32_t> component_;               // of core vertices, by core index
  std::vector<std::vector<Port>> ports_;              // by device
  std::vector<std::vector<std::int32_t>> distances_;  // by target in the core, then by source
  std::vector<std::vector<Source>> demand_;           // by target in the core, not yet spread
};

}  // namespace orrery
