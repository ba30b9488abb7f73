// SPDX-License-Identifier: Apache-2.0
//
// A written-out schedule as the sweep plays it: one flat array in topological order, which depends
// on schedule and shape only and is kept.
//
// A node waits for its stage and for one cell, and fills one cell. A pair is three nodes: the first
// waits for its forward's input, the second takes the time, the third sends the forward's result.
// Unlike the simulator's graph (sim/graph.h), a node is 12 bytes of cells that later micro batches
// use again: enough for the time of a step, not to tell which pass waited for which. Errors: none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "parallel/schedules/held.h"
#include "parallel/schedules/table.h"

namespace orrery {

// The cost of a node as an index part·kSweepKinds + kind; one more index costs nothing.
enum class SweepKind : std::uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  pair,  // named after the part of its forward
  sent,  // the forward of a pair: nothing but the delay of its send
};
inline constexpr std::int64_t kSweepKinds = 6;

struct SweepNode {
  std::uint32_t wait = 0;
  std::uint32_t fill = 0;
  std::uint16_t stage = 0;
  std::uint16_t cost = 0;
};

struct SweepGraph {
  ScheduleRef schedule = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<SweepNode> nodes;
  std::size_t cells = 0;
  std::vector<std::uint32_t> edges;          // cells before the first part and after the last: 0
  std::vector<std::int64_t> pairs;           // of stage i and its forward's chunk c: [i·v + c]
  std::vector<std::vector<HeldChunk>> held;  // fullest moments of each stage

  std::int64_t pairs_of(std::int64_t stage, std::int64_t chunk) const {
    return pairs[static_cast<std::size_t>(stage * shape.chunks + chunk)];
  }
};

SweepGraph sweep_graph(const ScheduleRef& schedule, const PipelineShape& shape);

// Graphs by schedule and shape. Keeps the last ones, up to a number of nodes; an order of the
// user's own is known by its address.
class SweepGraphs {
 public:
  const SweepGraph& of(const ScheduleRef& schedule, const PipelineShape& shape);

 private:
  std::vector<std::shared_ptr<const SweepGraph>> graphs_;
  std::size_t nodes_ = 0;
};

}  // namespace orrery
