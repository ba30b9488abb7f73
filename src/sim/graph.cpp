// SPDX-License-Identifier: Apache-2.0
#include "sim/graph.h"

#include "parallel/schedules/table.h"
#include "parallel/schedules/walk.h"

namespace orrery {
namespace {

class Builder {
 public:
  explicit Builder(PassGraph& g)
      : g_(g),
        layout_(g.schedule.layout()),
        parts_(parts(layout_, g.shape)),
        by_stage_(static_cast<std::size_t>(g.shape.stages)),
        results_(static_cast<std::size_t>(2 * parts_ * g.shape.micro_batches), -1),
        cells_(static_cast<std::size_t>(virtual_stages(g.shape))) {}

  void build() {
    const auto passes = static_cast<std::size_t>(2 * g_.shape.stages * steps_each_way(g_.shape));
    g_.nodes.reserve(passes);
    g_.micro_batch.reserve(passes);
    walk(g_.schedule, g_.shape, [this](std::int64_t stage, const Step& step) { add(stage, step); });
    join_orders();
    mark_needs();
  }

 private:
  struct Cell {
    std::int64_t forwards = 0;  // so far
    std::int64_t weights = 0;
    std::vector<std::uint16_t> slots;
  };

  // Node · 2 (+ 1 for a gradient); −1: not known yet.
  std::int32_t& result(const Result& r) {
    const std::int64_t half = r.forward ? 0 : parts_ * g_.shape.micro_batches;
    return results_[static_cast<std::size_t>(half + r.micro_batch * parts_ + r.part)];
  }

  void add(std::int64_t stage, const Step& step) {
    PassNode node;
    std::size_t count = 0;
    for_each_need(layout_, g_.shape, stage, step, [&](const Result& r) {
      const std::int32_t id = result(r);
      if (g_.nodes[static_cast<std::size_t>(id / 2)].stage == stage) return;
      node.needs[count++] = id;
    });
    node.stage = static_cast<std::uint16_t>(stage);
    node.slot = slot_for(stage, step);
    const auto id = static_cast<std::int32_t>(g_.nodes.size());
    for_each_result(layout_, g_.shape, stage, step,
                    [&](const Result& r) { result(r) = 2 * id + (r.forward ? 0 : 1); });
    g_.nodes.push_back(node);
    g_.micro_batch.push_back(static_cast<std::int32_t>(step.micro_batch));
    g_.backward_micro_batch.push_back(static_cast<std::int32_t>(backward_micro_batch(step)));
    by_stage_[static_cast<std::size_t>(stage)].push_back(id);
  }

  std::uint16_t slot_for(std::int64_t stage, const Step& step) {
    PassSlot s;
    s.kind = step.kind;
    s.stage = static_cast<std::uint16_t>(stage);
    s.cell = cell_id(stage, step.chunk);
    s.backward_cell = cell_id(stage, backward_chunk(step));
    if (has_forward(step.kind)) {
      s.first = ++cells_[s.cell].forwards == 1;
      s.sends_forward = sends(stage, step.chunk, step.micro_batch, 1);
    }
    if (has_weight_gradient(step.kind)) {
      const MicroBatchRange r = micro_batches_of(layout_, g_.shape, backward_chunk(step));
      s.last = ++cells_[s.backward_cell].weights == r.end - r.first;
    }
    if (has_input_gradient(step.kind)) {
      s.sends_back = sends(stage, backward_chunk(step), backward_micro_batch(step), -1);
    }
    return find_slot(s);
  }

  std::uint16_t cell_id(std::int64_t stage, std::int64_t chunk) const {
    return static_cast<std::uint16_t>(chunk * g_.shape.stages + stage);
  }

  bool sends(std::int64_t stage, std::int64_t chunk, std::int64_t micro_batch,
             std::int64_t way) const {
    const std::int64_t to = part_of(layout_, g_.shape, stage, chunk) + way;
    return to >= 0 && to < parts_ && seat_of(layout_, g_.shape, to, micro_batch).stage != stage;
  }

  std::uint16_t find_slot(const PassSlot& s) {
    std::vector<std::uint16_t>& known = cells_[s.cell].slots;
    for (const std::uint16_t i : known) {
      if (g_.slots[i] == s) return i;
    }
    g_.slots.push_back(s);
    known.push_back(static_cast<std::uint16_t>(g_.slots.size() - 1));
    return known.back();
  }

  void join_orders() {
    g_.order_begin.push_back(0);
    for (const std::vector<std::int32_t>& nodes : by_stage_) {
      g_.order.insert(g_.order.end(), nodes.begin(), nodes.end());
      g_.order_begin.push_back(static_cast<std::int64_t>(g_.order.size()));
    }
  }

  void mark_needs() {
    g_.needed_by.assign(2 * g_.nodes.size(), -1);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      for (const std::int32_t r : g_.nodes[n].needs) {
        if (r >= 0) g_.needed_by[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(n);
      }
    }
  }

  PassGraph& g_;
  ChunkLayout layout_;
  std::int64_t parts_;
  std::vector<std::vector<std::int32_t>> by_stage_;
  std::vector<std::int32_t> results_;
  std::vector<Cell> cells_;
};

}  // namespace

PassGraph make_graph(const ScheduleRef& schedule, const PipelineShape& shape) {
  PassGraph g;
  g.schedule = schedule;
  g.shape = shape;
  Builder(g).build();
  return g;
}

}  // namespace orrery
