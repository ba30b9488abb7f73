// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph_algorithms.h"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <utility>

namespace orrery {
namespace {

// An ArcGraph with the types and functions by which Boost.Graph knows a graph. An arc and its
// reverse are two edges for a flow and one undirected edge for components.
struct BoostGraph {
  using vertex_descriptor = std::int32_t;
  using edge_descriptor = ArcGraph::Arc;
  using vertex_iterator = boost::counting_iterator<std::int32_t>;
  using edge_iterator = std::span<const ArcGraph::Arc>::iterator;
  using out_edge_iterator = edge_iterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = boost::undirected_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  // The name is that of Boost's concept. NOLINTNEXTLINE(readability-identifier-naming)
  struct traversal_category : boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag,
                              boost::incidence_graph_tag {};

  static vertex_descriptor null_vertex() { return -1; }

  friend std::size_t num_vertices(const BoostGraph& g) { return g.arcs->vertex_count(); }
  friend std::pair<vertex_iterator, vertex_iterator> vertices(const BoostGraph& g) {
    return {vertex_iterator(0), vertex_iterator(static_cast<std::int32_t>(num_vertices(g)))};
  }
  friend std::size_t num_edges(const BoostGraph& g) { return g.arcs->arcs().size(); }
  friend std::pair<edge_iterator, edge_iterator> edges(const BoostGraph& g) {
    return {g.arcs->arcs().begin(), g.arcs->arcs().end()};
  }
  friend std::size_t out_degree(vertex_descriptor v, const BoostGraph& g) {
    return g.arcs->arcs_from(v).size();
  }
  friend std::pair<out_edge_iterator, out_edge_iterator> out_edges(vertex_descriptor v,
                                                                   const BoostGraph& g) {
    const std::span<const ArcGraph::Arc> arcs = g.arcs->arcs_from(v);
    return {arcs.begin(), arcs.end()};
  }
  friend vertex_descriptor source(const edge_descriptor& e, const BoostGraph& g) {
    return g.arcs->tail_of(e.id);
  }
  friend vertex_descriptor target(const edge_descriptor& e, const BoostGraph&) { return e.to; }

  const ArcGraph* arcs;
};

using Vertex = BoostGraph::vertex_descriptor;
using Edge = BoostGraph::edge_descriptor;
using boost::make_function_property_map;

template <class T>
auto by_vertex(std::vector<T>& values) {
  return boost::make_iterator_property_map(values.begin(),
                                           boost::typed_identity_property_map<Vertex>());
}

template <class Iterator>
auto by_arc(Iterator values) {
  return boost::make_iterator_property_map(
      values, make_function_property_map<Edge>([](const Edge& e) { return e.id; }));
}

}  // namespace

std::vector<std::int32_t> hops_from(const ArcGraph& g, std::span<const std::int32_t> starts) {
  std::vector<std::int32_t> hops(g.vertex_count(), kUnreached);
  for (const std::int32_t v : starts) hops[static_cast<std::size_t>(v)] = 0;
  boost::queue<Vertex> waiting;
  std::vector<boost::default_color_type> colours(g.vertex_count());
  const auto count = boost::record_distances(by_vertex(hops), boost::on_tree_edge());
  boost::breadth_first_visit(BoostGraph{&g}, starts.begin(), starts.end(), waiting,
                             boost::make_bfs_visitor(count), by_vertex(colours));
  return hops;
}

std::vector<std::int32_t> components_of(const ArcGraph& g) {
  std::vector<std::int32_t> components(g.vertex_count());
  std::vector<boost::default_color_type> colours(g.vertex_count());
  boost::connected_components(BoostGraph{&g}, by_vertex(components),
                              boost::color_map(by_vertex(colours)));
  return components;
}

std::int64_t largest_flow(const ArcGraph& g, std::span<const std::int64_t> capacities,
                          std::int32_t source, std::int32_t sink) {
  BoostGraph graph{&g};
  const boost::typed_identity_property_map<Vertex> index;
  std::vector<std::int64_t> left(capacities.size());
  std::vector<Edge> parents(g.vertex_count());
  std::vector<boost::default_color_type> trees(g.vertex_count());
  std::vector<std::int32_t> distances(g.vertex_count());
  const auto reverse = make_function_property_map<Edge>([&](const Edge& e) {
    return Edge{g.tail_of(e.id), e.id ^ 1};
  });
  return boost::boykov_kolmogorov_max_flow(graph, by_arc(capacities.begin()), by_arc(left.begin()),
                                           reverse, by_vertex(parents), by_vertex(trees),
                                           by_vertex(distances), index, source, sink);
}

}  // namespace orrery
