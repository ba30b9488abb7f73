// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline.h"

namespace orrery {
namespace {

// What each step waited for, and the way back from the last one.
class Trace {
 public:
  Trace(const ScheduleRef& schedule, const PipelineShape& shape, const PipelineCosts& costs)
      : layout_(schedule.layout()),
        shape_(shape),
        costs_(costs),
        parts_(parts(layout_, shape)),
        stages_(static_cast<std::size_t>(shape.stages)),
        results_(static_cast<std::size_t>(2 * parts_ * shape.micro_batches), kNothing) {}

  void add(std::int64_t stage, const Step& s) {
    Stage& own = stages_[static_cast<std::size_t>(stage)];
    Node node;
    node.kind = s.kind;
    node.part = part_of(layout_, shape_, stage, s.chunk);
    node.cause = own.last;
    node.done = own.free;
    for_each_need(layout_, shape_, stage, s, [&](const Result& r) {
      const bool its_own = r.micro_batch == backward_micro_batch(s) &&
                           r.part == part_of(layout_, shape_, stage, backward_chunk(s));
      if (its_own) return;
      const std::int64_t from = result(r);
      const Seconds arrived =
          nodes_[static_cast<std::size_t>(from)].done +
          (r.forward ? costs_.send_forward[static_cast<std::size_t>(r.part)]
                     : costs_.send_backward[static_cast<std::size_t>(r.part - 1)]);
      if (arrived <= node.done) return;
      node.done = arrived;
      node.cause = from;
      node.sent = r.forward ? 1 : -1;
      node.boundary = r.forward ? r.part : r.part - 1;
    });
    if (own.last == kNothing) own.first_cause = node;
    node.done += time_of(node);
    own.last = static_cast<std::int64_t>(nodes_.size());
    own.free = node.done;
    for_each_result(layout_, shape_, stage, s, [&](const Result& r) { result(r) = own.last; });
    nodes_.push_back(node);
  }

  std::int64_t last_to_finish(bool of_period) const {
    std::int64_t latest = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (time_of(i, of_period) > time_of(static_cast<std::size_t>(latest), of_period)) {
        latest = static_cast<std::int64_t>(i);
      }
    }
    return latest;
  }

  void count(std::int64_t stage, bool of_period, CriticalPath& path) const {
    const Stage& own = stages_[static_cast<std::size_t>(stage)];
    path.time = time_of(static_cast<std::size_t>(stage), of_period);
    count_back(own.last, 1, path);
    if (!of_period) return;
    count_send(own.first_cause, -1, path);
    count_back(own.first_cause.cause, -1, path);
  }

 private:
  static constexpr std::int64_t kNothing = -1;

  struct Node {
    StepKind kind = StepKind::forward;
    std::int64_t part = 0;
    std::int64_t cause = kNothing;
    int sent = 0;  // waited for a send down (1) or up (−1) over `boundary`, else for its stage
    std::int64_t boundary = 0;
    Seconds done{};
  };
  struct Stage {
    std::int64_t last = kNothing;
    Seconds free{};
    Node first_cause;  // of its first step, its time not yet added
  };

  Seconds time_of(std::size_t stage, bool of_period) const {
    return stages_[stage].free - (of_period ? stages_[stage].first_cause.done : Seconds());
  }

  Seconds time_of(const Node& n) const {
    const auto j = static_cast<std::size_t>(n.part);
    switch (n.kind) {
      case StepKind::forward:
        return costs_.forward[j];
      case StepKind::backward:
        return costs_.backward[j];
      case StepKind::input_gradient:
        return costs_.backward[j] - costs_.weight_gradient[j];
      case StepKind::weight_gradient:
        return costs_.weight_gradient[j];
      case StepKind::pair:
        return costs_.pair[j];
    }
    return {};
  }

  static std::vector<std::int64_t>& counts_of(StepKind kind, CriticalPath& path) {
    switch (kind) {
      case StepKind::forward:
        return path.forward;
      case StepKind::backward:
        return path.backward;
      case StepKind::input_gradient:
        return path.input_gradient;
      case StepKind::weight_gradient:
        return path.weight_gradient;
      case StepKind::pair:
        return path.pair;
    }
    return path.forward;
  }

  static void count_send(const Node& n, std::int64_t times, CriticalPath& path) {
    if (n.sent == 0) return;
    (n.sent > 0 ? path.send_forward : path.send_backward)[static_cast<std::size_t>(n.boundary)] +=
        times;
  }

  void count_back(std::int64_t at, std::int64_t times, CriticalPath& path) const {
    while (at != kNothing) {
      const Node& n = nodes_[static_cast<std::size_t>(at)];
      counts_of(n.kind, path)[static_cast<std::size_t>(n.part)] += times;
      count_send(n, times, path);
      at = n.cause;
    }
  }

  std::int64_t& result(const Result& r) {
    return results_[static_cast<std::size_t>((r.micro_batch * parts_ + r.part) * 2 +
                                             (r.forward ? 1 : 0))];
  }

  ChunkLayout layout_;
  PipelineShape shape_;
  const PipelineCosts& costs_;
  std::int64_t parts_;
  std::vector<Node> nodes_;
  std::vector<Stage> stages_;
  std::vector<std::int64_t> results_;  // which node brought it about
};

}  // namespace

CriticalPath critical_path(const ScheduleRef& schedule, const PipelineShape& shape,
                           const PipelineCosts& costs, bool of_period) {
  const std::size_t count = costs.forward.size();
  CriticalPath path;
  for (auto* counts :
       {&path.forward, &path.backward, &path.input_gradient, &path.weight_gradient, &path.pair}) {
    counts->assign(count, 0);
  }
  path.send_forward.assign(count - 1, 0);
  path.send_backward.assign(count - 1, 0);
  Trace trace(schedule, shape, costs);
  walk(schedule, shape, [&trace](std::int64_t stage, const Step& step) { trace.add(stage, step); });
  trace.count(trace.last_to_finish(of_period), of_period, path);
  return path;
}

}  // namespace orrery
