// SPDX-License-Identifier: Apache-2.0
//
// The passes of a schedule with a fixed order, as a graph in topological order.
//
// A node is one pass of a micro batch through one chunk of a stage, or a pair of passes. It waits
// for the node before it on its stage and for at most two results of other stages: a forward result
// of the part before, a gradient of the part after (a pair waits for both). The graph depends on
// the schedule and (p, v, m) only, so one graph serves any costs. Unlike the closed form's graph
// (estimate/sweep_graph.h), it keeps who waits for whom, for links, timelines and critical paths.
// Errors: none for a schedule of the table and a shape that it allows (parallel/rules.h).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/schedules/table.h"

namespace orrery {

// A kind of pass: all nodes of a slot cost the same. A cell is a chunk of a stage, chunk·p + stage.
// `first` and `last` are the first forward and the last weight gradient of a cell; once-a-step
// traffic may run beside them.
struct PassSlot {
  StepKind kind = StepKind::forward;
  bool first = false;
  bool last = false;
  std::uint16_t stage = 0;
  std::uint16_t cell = 0;           // of the forward pass, or of the only pass
  std::uint16_t backward_cell = 0;  // of the backward pass, or of the only pass
  bool sends_forward = false;       // to another stage
  bool sends_back = false;

  bool operator==(const PassSlot&) const = default;
};

// Result 2n is the forward result of node n, 2n + 1 its gradient.
struct PassNode {
  std::int32_t needs[2] = {-1, -1};  // results, −1: none
  std::uint16_t stage = 0;
  std::uint16_t slot = 0;
};

struct PassGraph {
  ScheduleRef schedule = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<PassSlot> slots;
  std::vector<PassNode> nodes;                     // in topological order
  std::vector<std::int32_t> micro_batch;           // by node; a pair's forward one
  std::vector<std::int32_t> backward_micro_batch;  // by node; a pair's backward one
  std::vector<std::int32_t> order;        // nodes of stage 0 in its order, then of stage 1, …
  std::vector<std::int64_t> order_begin;  // by stage, and the end
  std::vector<std::int32_t> needed_by;    // by result, the node that waits for it; −1: none
};

inline const PassSlot& slot_of(const PassGraph& g, std::size_t node) {
  return g.slots[g.nodes[node].slot];
}

PassGraph make_graph(const ScheduleRef& schedule, const PipelineShape& shape);

}  // namespace orrery
