// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/cut.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {
namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;

// Arc e and its opposite e ^ 1; vertices that no usable arc touches are left out.
class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t vertices) : index_(vertices, kNone) {}

  static constexpr std::int32_t kSource = 0;
  static constexpr std::int32_t kSink = 1;

  std::int32_t vertex(std::int32_t v) {
    std::int32_t& known = index_[static_cast<std::size_t>(v)];
    if (known == kNone) {
      known = static_cast<std::int32_t>(first_.size());
      first_.push_back(kNone);
    }
    return known;
  }

  void add(std::int32_t a, std::int32_t b, std::int64_t forth, std::int64_t back) {
    add_arc(a, b, forth);
    add_arc(b, a, back);
  }

  std::int64_t flow() {
    std::int64_t sum = 0;
    while (measure()) {
      next_ = first_;
      while (const std::int64_t pushed = push_path()) sum += pushed;
    }
    return sum;
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Arc {
    std::int32_t to;
    std::int32_t next;  // of the same tail
    std::int64_t left;
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  void add_arc(std::int32_t from, std::int32_t to, std::int64_t capacity) {
    arcs_.push_back({to, first_[at(from)], capacity});
    first_[at(from)] = static_cast<std::int32_t>(arcs_.size() - 1);
  }

  // Hops from the source over arcs with something left; whether the sink is reached.
  bool measure() {
    level_.assign(first_.size(), kNone);
    level_[kSource] = 0;
    queue_.assign(1, kSource);
    for (std::size_t i = 0; i < queue_.size() && level_[kSink] == kNone; ++i) {
      for (std::int32_t e = first_[at(queue_[i])]; e != kNone; e = arcs_[at(e)].next) {
        const Arc& a = arcs_[at(e)];
        if (a.left == 0 || level_[at(a.to)] != kNone) continue;
        level_[at(a.to)] = level_[at(queue_[i])] + 1;
        queue_.push_back(a.to);
      }
    }
    return level_[kSink] != kNone;
  }

  // Along one path of rising levels; arcs that lead nowhere are not tried again.
  std::int64_t push_path() {
    path_.clear();
    std::int32_t v = kSource;
    while (v != kSink) {
      std::int32_t& e = next_[at(v)];
      while (e != kNone && !leads_on(v, arcs_[at(e)])) e = arcs_[at(e)].next;
      if (e != kNone) {
        path_.push_back(e);
        v = arcs_[at(e)].to;
        continue;
      }
      if (path_.empty()) return 0;
      const std::int32_t dead = path_.back();
      path_.pop_back();
      v = arcs_[at(dead ^ 1)].to;
      next_[at(v)] = arcs_[at(dead)].next;
    }
    return take(narrowest());
  }

  bool leads_on(std::int32_t v, const Arc& a) const {
    return a.left > 0 && level_[at(a.to)] == level_[at(v)] + 1;
  }

  std::int64_t narrowest() const {
    std::int64_t least = kUnlimited;
    for (const std::int32_t e : path_) least = std::min(least, arcs_[at(e)].left);
    return least;
  }

  std::int64_t take(std::int64_t flow) {
    for (const std::int32_t e : path_) {
      arcs_[at(e)].left -= flow;
      arcs_[at(e ^ 1)].left += flow;
    }
    return flow;
  }

  std::vector<std::int32_t> index_;
  std::vector<std::int32_t> first_{kNone, kNone};
  std::vector<Arc> arcs_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> queue_;
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> path_;
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
    network.add(FlowNetwork::kSource, network.vertex(routes.vertex_of(d)), kUnlimited, 0);
  }
  for (const std::int32_t d : to) {
    network.add(network.vertex(routes.vertex_of(d)), FlowNetwork::kSink, kUnlimited, 0);
  }
  return BytesPerSecond(static_cast<double>(network.flow()));
}

}  // namespace orrery
