// SPDX-License-Identifier: Apache-2.0
//
// The passes of a step as a graph in topological order: what a schedule of fixed order is.
//
// A node is one step of one stage: a pass of a micro batch through one of its chunks, or a pair of
// them. It waits for the node before it on its stage and for results of other stages, at most two
// (a pair's): a forward result of the part before, a gradient of the part after. The graph depends
// on the schedule and (p, v, m) only, so one graph serves any costs. Errors: none for a schedule
// of the table and a shape it takes (parallel/rules.h).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/schedules/table.h"

namespace orrery {

// Every kind of pass there is: nodes of a slot cost the same. A cell is a chunk of a stage, chunk·p
// + stage. `first` and `last`: the first forward and the last gradient of the weights of a cell,
// beside which once-a-step traffic may run.
struct PassSlot {
  StepKind kind = StepKind::forward;
  bool first = false;
  bool last = false;
  std::uint16_t stage = 0;
  std::uint16_t cell = 0;           // of the forward, or of the only pass
  std::uint16_t backward_cell = 0;  // of the backward, or of the only pass
  bool sends_forward = false;       // to another stage
  bool sends_back = false;

  bool operator==(const PassSlot&) const = default;
};

// A result is a node's forward one (2n) or gradient (2n + 1).
struct PassNode {
  std::int32_t needs[2] = {-1, -1};  // results, −1: none
  std::uint16_t stage = 0;
  std::uint16_t slot = 0;
};

struct PassGraph {
  ScheduleRef schedule = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<PassSlot> slots;
  std::vector<PassNode> nodes;                     // each after all it waits for
  std::vector<std::int32_t> micro_batch;           // by node; of a pair its forward's
  std::vector<std::int32_t> backward_micro_batch;  // by node; of a pair its backward's
  std::vector<std::int32_t> order;        // nodes of stage 0 in its order, then of stage 1, …
  std::vector<std::int64_t> order_begin;  // by stage, and the end
  std::vector<std::int32_t> needed_by;    // by result, the node that waits for it; −1: none
};

inline const PassSlot& slot_of(const PassGraph& g, std::size_t node) {
  return g.slots[g.nodes[node].slot];
}

PassGraph make_graph(const ScheduleRef& schedule, const PipelineShape& shape);

}  // namespace orrery
