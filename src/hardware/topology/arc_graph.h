// SPDX-License-Identifier: Apache-2.0
//
// Links between numbered vertices, by the vertex they leave.
//
// Link l is two arcs: 2l from a to b and 2l + 1 back. The arcs of a vertex keep the order of the
// links. Paths and flows are found by topology/graph_algorithms.h. Errors: none; ends are vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

struct Ends {
  std::int32_t a = 0;
  std::int32_t b = 0;
};

class ArcGraph {
 public:
  struct Arc {
    std::int32_t to = 0;
    std::int32_t id = 0;
    bool operator==(const Arc&) const = default;
  };

  ArcGraph() = default;
  ArcGraph(std::size_t vertices, std::span<const Ends> links);

  std::size_t vertex_count() const { return first_.size() - 1; }
  std::span<const Arc> arcs() const { return arcs_; }
  std::span<const Arc> arcs_from(std::int32_t v) const {
    const auto i = static_cast<std::size_t>(v);
    return {arcs_.data() + first_[i], arcs_.data() + first_[i + 1]};
  }
  std::int32_t head_of(std::int32_t arc) const { return heads_[static_cast<std::size_t>(arc)]; }
  std::int32_t tail_of(std::int32_t arc) const { return head_of(arc ^ 1); }

 private:
  std::vector<std::int32_t> first_ = {0};  // of each vertex in arcs_
  std::vector<Arc> arcs_;
  std::vector<std::int32_t> heads_;  // by arc
};

}  // namespace orrery
