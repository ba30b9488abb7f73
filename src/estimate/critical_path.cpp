// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/pipeline.h"
#include "estimate/steady.h"
#include "parallel/schedules/walk.h"

namespace orrery {
namespace {

// The cause of each pass's wait, and the way back from the last one.
class Trace {
 public:
  static constexpr std::int64_t kNothing = -1;

  struct Stage {
    std::int64_t last = kNothing;
    Seconds free{};
    std::int64_t begin = kNothing;  // what its first step waited for
  };

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
    if (own.begin == kNothing) own.begin = add_wait(node);
    node.done += time_of(node);
    own.last = static_cast<std::int64_t>(nodes_.size());
    own.free = node.done;
    for_each_result(layout_, shape_, stage, s, [&](const Result& r) { result(r) = own.last; });
    nodes_.push_back(node);
  }

  std::size_t last_to_finish() const {
    const auto earlier = [](const Stage& a, const Stage& b) { return a.free < b.free; };
    return static_cast<std::size_t>(std::max_element(stages_.begin(), stages_.end(), earlier) -
                                    stages_.begin());
  }

  // Back to where every stage has begun.
  void begin_again() {
    for (Stage& s : stages_) {
      s.last = s.begin;
      s.free = nodes_[static_cast<std::size_t>(s.begin)].done;
    }
  }

  // How far every stage has come.
  std::vector<Stage> now() const { return stages_; }

  std::vector<Seconds> times() const {
    std::vector<Seconds> all;
    for (const Stage& s : stages_) all.push_back(s.free);
    return all;
  }

  void ends_synchronise() {
    Stage& first = stages_.front();
    Stage& last = stages_.back();
    (first.free < last.free ? first : last) = first.free < last.free ? last : first;
  }

  // The way from the beginning to where a stage is or was, added or taken away.
  void count(const Stage& until, std::int64_t times, CriticalPath& path) const {
    path.time += static_cast<double>(times) * until.free;
    for (std::int64_t at = until.last; at != kNothing;) {
      const Node& n = nodes_[static_cast<std::size_t>(at)];
      if (!n.waits) counts_of(n.kind, path)[static_cast<std::size_t>(n.part)] += times;
      count_send(n, times, path);
      at = n.cause;
    }
  }

 private:
  struct Node {
    StepKind kind = StepKind::forward;
    std::int64_t part = 0;
    bool waits = false;  // and does nothing
    std::int64_t cause = kNothing;
    int sent = 0;  // waited for a send down (1) or up (−1) over `boundary`, else for its stage
    std::int64_t boundary = 0;
    Seconds done{};
  };

  std::int64_t add_wait(Node node) {
    node.waits = true;
    nodes_.push_back(node);
    return static_cast<std::int64_t>(nodes_.size()) - 1;
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

CriticalPath empty_path(std::size_t parts) {
  CriticalPath path;
  for (auto* counts :
       {&path.forward, &path.backward, &path.input_gradient, &path.weight_gradient, &path.pair}) {
    counts->assign(parts, 0);
  }
  path.send_forward.assign(parts - 1, 0);
  path.send_backward.assign(parts - 1, 0);
  return path;
}

}  // namespace

CriticalPath critical_path(const ScheduleRef& schedule, const PipelineShape& shape,
                           const PipelineCosts& costs, std::int64_t until) {
  Trace trace(schedule, shape, costs);
  walk(schedule, shape, [&trace](std::int64_t stage, const Step& step) { trace.add(stage, step); });
  CriticalPath path = empty_path(costs.forward.size());
  trace.count(
      trace.now()[until == kLastOfAll ? trace.last_to_finish() : static_cast<std::size_t>(until)],
      1, path);
  return path;
}

CriticalPath path_of_period(const ScheduleRef& schedule, const PipelineShape& shape,
                            const PipelineCosts& costs, bool ends_synchronise) {
  Trace trace(schedule, shape, costs);
  const auto play = [&] {
    walk(schedule, shape,
         [&trace](std::int64_t stage, const Step& step) { trace.add(stage, step); });
  };
  play();
  trace.begin_again();
  std::vector<Seconds> memory;
  Steady steady(trace.times(), memory);
  std::vector<Trace::Stage> before;
  do {
    before = trace.now();
    play();
    if (ends_synchronise) trace.ends_synchronise();
  } while (!steady.settles(trace.times()));
  CriticalPath path = empty_path(costs.forward.size());
  trace.count(trace.now()[steady.stage()], 1, path);
  trace.count(before[steady.stage()], -1, path);
  return path;
}

}  // namespace orrery
