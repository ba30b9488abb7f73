// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/cut.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "hardware/topology/graph_algorithms.h"
#include "hardware/topology/routes_index.h"

namespace orrery {
namespace {

enum class Side : std::uint8_t { between, source, sink };

// A vertex on the way of a flow.
struct Spot {
  Side side = Side::between;
  std::int64_t in = 0;    // rate of pipes from the sources
  std::int64_t out = 0;   // rate of pipes to the sinks
  std::int32_t ways = 0;  // pipes to others between
  std::int32_t way = 0;   // exclusive or of their indices: where one is left, its index
};

// The flow from all sources, taken as one vertex, to all sinks, taken as another. A spot with a
// single way on is taken away with its pipe, again and again, so that leaves and spines remain of a
// fat tree: with all cards of 10,240 GPUs in it the cuts took 0.16 s and not 0.06 s.
class FlowProblem {
 public:
  FlowProblem(std::vector<Spot> spots, std::span<const Pipe> pipes)
      : spots_(std::move(spots)), pipes_(pipes) {}

  std::int64_t largest() {
    for (std::size_t p = 0; p < pipes_.size(); ++p) attach(static_cast<std::int32_t>(p));
    for (std::size_t v = 0; v < spots_.size(); ++v) fold_from(static_cast<std::int32_t>(v));
    for (Spot& s : spots_) pass(s);
    return passed_ + largest_of_rest();
  }

 private:
  static constexpr std::int32_t kSource = 0;
  static constexpr std::int32_t kSink = 1;

  void attach(std::int32_t pipe) {
    const Pipe& p = pipes_[at(pipe)];
    Spot& a = spots_[at(p.a)];
    Spot& b = spots_[at(p.b)];
    count(a, b, p.forth);
    count(b, a, p.back);
    if (a.side != Side::between || b.side != Side::between) return;
    for (Spot* s : {&a, &b}) {
      ++s->ways;
      s->way ^= pipe;
    }
  }

  // A pipe that leaves a source or enters a sink.
  void count(Spot& from, Spot& to, std::int64_t rate) {
    if (from.side == Side::source && to.side == Side::sink) passed_ += rate;
    if (from.side == Side::source && to.side == Side::between) to.in += rate;
    if (from.side == Side::between && to.side == Side::sink) from.out += rate;
  }

  // From the sources to the sinks over this spot alone.
  void pass(Spot& s) {
    const std::int64_t rate = std::min(s.in, s.out);
    s.in -= rate;
    s.out -= rate;
    passed_ += rate;
  }

  void fold_from(std::int32_t v) {
    while (spots_[at(v)].ways == 1) {
      Spot& end = spots_[at(v)];
      const Pipe& pipe = pipes_[at(end.way)];
      const bool forth = pipe.a == v;
      v = forth ? pipe.b : pipe.a;
      Spot& next = spots_[at(v)];
      pass(end);
      next.in += std::min(end.in, forth ? pipe.forth : pipe.back);
      next.out += std::min(end.out, forth ? pipe.back : pipe.forth);
      next.way ^= end.way;
      --next.ways;
      end = {};
    }
  }

  void add(std::int32_t a, std::int32_t b, std::int64_t forth, std::int64_t back) {
    ends_.push_back({a, b});
    rates_.insert(rates_.end(), {forth, back});
  }

  // Between the spots that still have ways.
  std::int64_t largest_of_rest() {
    std::int32_t vertices = kSink + 1;
    std::vector<std::int32_t> vertex(spots_.size(), 0);
    for (std::size_t v = 0; v < spots_.size(); ++v) {
      if (spots_[v].ways == 0) continue;
      vertex[v] = vertices++;
      if (spots_[v].in > 0) add(kSource, vertex[v], spots_[v].in, 0);
      if (spots_[v].out > 0) add(vertex[v], kSink, spots_[v].out, 0);
    }
    for (const Pipe& p : pipes_) {
      const std::int32_t a = vertex[at(p.a)];
      const std::int32_t b = vertex[at(p.b)];
      if (a > 0 && b > 0) add(a, b, p.forth, p.back);
    }
    if (ends_.empty()) return 0;
    return largest_flow(ArcGraph(at(vertices), ends_), rates_, kSource, kSink);
  }

  std::vector<Spot> spots_;
  std::span<const Pipe> pipes_;
  std::int64_t passed_ = 0;
  std::vector<Ends> ends_;
  std::vector<std::int64_t> rates_;  // by arc
};

}  // namespace

Cuts::Cuts(const Routes& routes, const ArcLoads& usable)
    : routes_(&routes), index_(routes.graph().vertices.size(), Routes::kNone) {
  const auto& links = routes.graph().links;
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (usable[2 * l] == 0 && usable[2 * l + 1] == 0) continue;
    const std::int64_t rate =
        std::llround(links[l].bandwidth.si() * static_cast<double>(links[l].count));
    pipes_.push_back({touch(links[l].a), touch(links[l].b), usable[2 * l] > 0 ? rate : 0,
                      usable[2 * l + 1] > 0 ? rate : 0});
  }
}

std::int32_t Cuts::touch(std::int32_t v) {
  std::int32_t& index = index_[at(v)];
  if (index == Routes::kNone) index = touched_++;
  return index;
}

BytesPerSecond Cuts::between(std::span<const std::int32_t> from,
                             std::span<const std::int32_t> to) const {
  std::vector<Spot> spots(at(touched_));
  const auto mark = [&](std::span<const std::int32_t> devices, Side side) {
    for (const std::int32_t d : devices) {
      const std::int32_t index = index_[at(routes_->vertex_of(d))];
      if (index != Routes::kNone) spots[at(index)].side = side;
    }
  };
  mark(from, Side::source);
  mark(to, Side::sink);
  return BytesPerSecond(static_cast<double>(FlowProblem(std::move(spots), pipes_).largest()));
}

}  // namespace orrery
