// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace orrery {
namespace {

using Vertex = std::size_t;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Edge = Traits::edge_descriptor;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Edge>>>>;

// Vertices that no usable arc touches are left out. Augmenting paths, not push-relabel: that one
// asserts in Boost 1.74 on links that carry both ways.
class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t vertices) : index_(vertices, 0), graph_(2) {}

  static constexpr Vertex kSource = 0;
  static constexpr Vertex kSink = 1;

  Vertex vertex(std::int32_t v) {
    std::size_t& known = index_[static_cast<std::size_t>(v)];
    if (known == 0) known = boost::add_vertex(graph_);
    return known;
  }

  void add(Vertex a, Vertex b, std::int64_t forth, std::int64_t back) {
    const Edge e = boost::add_edge(a, b, graph_).first;
    const Edge r = boost::add_edge(b, a, graph_).first;
    boost::put(boost::edge_capacity, graph_, e, forth);
    boost::put(boost::edge_capacity, graph_, r, back);
    boost::put(boost::edge_reverse, graph_, e, r);
    boost::put(boost::edge_reverse, graph_, r, e);
  }

  std::int64_t capacity_at(Vertex v) const {
    std::int64_t sum = 0;
    for (auto [e, end] = boost::out_edges(v, graph_); e != end; ++e) {
      sum += boost::get(boost::edge_capacity, graph_, *e) +
             boost::get(boost::edge_capacity, graph_, boost::get(boost::edge_reverse, graph_, *e));
    }
    return sum;
  }

  std::int64_t flow() { return boost::edmonds_karp_max_flow(graph_, kSource, kSink); }

 private:
  std::vector<std::size_t> index_;
  FlowGraph graph_;
};

}  // namespace

BytesPerSecond cut_between(const Routes& routes, const ArcLoads& usable,
                           std::span<const std::int32_t> from, std::span<const std::int32_t> to) {
  const TopologyGraph& g = routes.graph();
  FlowNetwork network(g.vertices.size());
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    const TopologyLink& link = g.links[l];
    if (usable[2 * l] == 0 && usable[2 * l + 1] == 0) continue;
    const std::int64_t rate = std::llround(link.bandwidth.si() * static_cast<double>(link.count));
    network.add(network.vertex(link.a), network.vertex(link.b), usable[2 * l] > 0 ? rate : 0,
                usable[2 * l + 1] > 0 ? rate : 0);
  }
  for (const std::int32_t d : from) {
    const Vertex v = network.vertex(routes.vertex_of(d));
    network.add(FlowNetwork::kSource, v, network.capacity_at(v), 0);
  }
  for (const std::int32_t d : to) {
    const Vertex v = network.vertex(routes.vertex_of(d));
    network.add(v, FlowNetwork::kSink, network.capacity_at(v), 0);
  }
  return BytesPerSecond(static_cast<double>(network.flow()));
}

}  // namespace orrery
