// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/arc_graph.h"

namespace orrery {

ArcGraph::ArcGraph(std::size_t vertices, std::span<const Ends> links)
    : first_(vertices + 1, 0), arcs_(2 * links.size()) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  heads_.reserve(2 * links.size());
  for (const Ends& l : links) {
    ++first_[at(l.a) + 1];
    ++first_[at(l.b) + 1];
    heads_.push_back(l.b);
    heads_.push_back(l.a);
  }
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  for (std::int32_t arc = 0; at(arc) < arcs_.size(); ++arc) {
    arcs_[at(next[at(tail_of(arc))]++)] = {head_of(arc), arc};
  }
}

}  // namespace orrery
