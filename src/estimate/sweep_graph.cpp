// SPDX-License-Identifier: Apache-2.0
#include "estimate/sweep_graph.h"

#include <cstddef>

#include "parallel/schedules/order.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

// Results of micro batches, one row each: cell j + 1 of a row is part j's. A row is used again once
// its micro batch has left the first part.
class Rows {
 public:
  Rows(ChunkLayout layout, const PipelineShape& shape)
      : stride_(static_cast<std::uint32_t>(parts(layout, shape)) + 2),
        row_of_(static_cast<std::size_t>(shape.micro_batches), kNone) {}

  std::uint32_t cell(std::int64_t micro_batch, std::int64_t index) {
    std::uint32_t& row = row_of_[static_cast<std::size_t>(micro_batch)];
    if (row == kNone) row = take();
    return row * stride_ + static_cast<std::uint32_t>(index);
  }

  void leave(std::int64_t micro_batch) {
    free_.push_back(row_of_[static_cast<std::size_t>(micro_batch)]);
  }

  std::uint32_t count() const { return count_; }
  std::uint32_t stride() const { return stride_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t take() {
    if (free_.empty()) return count_++;
    const std::uint32_t row = free_.back();
    free_.pop_back();
    return row;
  }

  std::uint32_t stride_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::uint32_t> free_;
};

class Builder {
 public:
  explicit Builder(SweepGraph& graph)
      : graph_(graph),
        layout_(graph.schedule.layout()),
        parts_(parts(layout_, graph.shape)),
        rows_(layout_, graph.shape) {}

  void build() {
    const Programs programs = programs_of(graph_.schedule, graph_.shape);
    graph_.pairs.assign(static_cast<std::size_t>(virtual_stages(graph_.shape)), 0);
    for (const Program& program : programs) {
      graph_.held.push_back(fullest_moments(program, graph_.shape.chunks));
    }
    walk_programs(layout_, graph_.shape, programs,
                  [this](std::int64_t stage, const Step& step) { add(stage, step); });
    finish();
  }

 private:
  // Cells that nobody reads and that stay 0, until it is known where they are.
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kNothing = 0;

  void add(std::int64_t stage, const Step& s) {
    const auto at = static_cast<std::uint16_t>(stage);
    const std::int64_t j = part_of(layout_, graph_.shape, stage, s.chunk);
    const std::int64_t m = s.micro_batch;
    switch (s.kind) {
      case StepKind::forward:
        node(rows_.cell(m, j), rows_.cell(m, j + 1), at, cost(j, SweepKind::forward));
        return;
      case StepKind::backward:
        return backward(m, j, at, cost(j, SweepKind::backward));
      case StepKind::input_gradient:
        return backward(m, j, at, cost(j, SweepKind::input_gradient));
      case StepKind::weight_gradient:
        return node(kNothing, kNowhere, at, cost(j, SweepKind::weight_gradient));
      case StepKind::pair:
        return pair(stage, s, j);
    }
  }

  void pair(std::int64_t stage, const Step& s, std::int64_t j) {
    const auto at = static_cast<std::uint16_t>(stage);
    const std::int64_t m = s.micro_batch;
    ++graph_.pairs[static_cast<std::size_t>(stage * graph_.shape.chunks + s.chunk)];
    node(rows_.cell(m, j), kNowhere, at, free_cost());
    backward(s.backward_micro_batch, part_of(layout_, graph_.shape, stage, s.backward_chunk), at,
             cost(j, SweepKind::pair));
    node(kNothing, rows_.cell(m, j + 1), at, cost(j, SweepKind::sent));
  }

  void backward(std::int64_t m, std::int64_t j, std::uint16_t stage, std::uint16_t c) {
    node(rows_.cell(m, j + 2), rows_.cell(m, j + 1), stage, c);
    if (j == 0) rows_.leave(m);
  }

  void node(std::uint32_t wait, std::uint32_t fill, std::uint16_t stage, std::uint16_t c) {
    graph_.nodes.push_back({wait, fill, stage, c});
  }

  std::uint16_t cost(std::int64_t part, SweepKind kind) const {
    return static_cast<std::uint16_t>(part * kSweepKinds + static_cast<std::int64_t>(kind));
  }
  std::uint16_t free_cost() const { return static_cast<std::uint16_t>(parts_ * kSweepKinds); }

  void finish() {
    const std::uint32_t used = rows_.count() * rows_.stride();
    graph_.cells = used + 1;
    for (SweepNode& n : graph_.nodes) {
      if (n.fill == kNowhere) n.fill = used;
    }
    for (std::uint32_t row = 0; row < rows_.count(); ++row) {
      graph_.edges.push_back(row * rows_.stride());
      graph_.edges.push_back((row + 1) * rows_.stride() - 1);
    }
  }

  SweepGraph& graph_;
  ChunkLayout layout_;
  std::int64_t parts_;
  Rows rows_;
};

constexpr std::size_t kMostNodesKept = std::size_t{1} << 23;  // 100 MB

}  // namespace

SweepGraph sweep_graph(const ScheduleRef& schedule, const PipelineShape& shape) {
  SweepGraph graph;
  graph.schedule = schedule;
  graph.shape = shape;
  Builder(graph).build();
  return graph;
}

const SweepGraph& SweepGraphs::of(const ScheduleRef& schedule, const PipelineShape& shape) {
  for (std::size_t i = graphs_.size(); i-- > 0;) {
    if (graphs_[i]->schedule == schedule && graphs_[i]->shape == shape) return *graphs_[i];
  }
  if (nodes_ > kMostNodesKept) {
    graphs_.clear();
    nodes_ = 0;
  }
  graphs_.push_back(std::make_shared<const SweepGraph>(sweep_graph(schedule, shape)));
  nodes_ += graphs_.back()->nodes.size();
  return *graphs_.back();
}

}  // namespace orrery
