// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "parallel/schedules/table.h"

namespace orrery {
namespace {

using StageCost = PipelineWorkspace::StageCost;

// Nothing follows the last forward and the last backward step of a micro batch.
void fill_costs(const PipelineCosts& from, std::vector<StageCost>& to) {
  const std::size_t count = from.forward.size();
  to.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    to[j] = {from.forward[j].si(), j + 1 == count ? 0.0 : from.send_forward[j].si(),
             from.backward[j].si(), j == 0 ? 0.0 : from.send_backward[j - 1].si()};
  }
}

// When results arrive, one row a micro batch: cell j + 1 first holds when virtual stage j's forward
// result is at its successor, later when its backward result is at its predecessor. The cells at
// both ends stay 0: who has no neighbour there waits for nothing. A row is used again once its
// micro batch has left the first stage, so there are as many rows as that stage holds at most.
class Arrivals {
 public:
  Arrivals(ScheduleId schedule, const PipelineShape& shape, std::vector<double>& memory)
      : stride_(virtual_stages(shape) + 2) {
    const std::int64_t held =
        std::min(shape.micro_batches, schedule_of(schedule).in_flight(shape, 0));
    const auto rows = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(held)));
    mask_ = rows - 1;
    memory.resize(std::max(memory.size(), static_cast<std::size_t>(rows * stride_)));
    cells_ = memory.data();
    for (std::int64_t row = 0; row < rows; ++row) {
      cells_[row * stride_] = 0;
      cells_[row * stride_ + stride_ - 1] = 0;
    }
  }

  // The cell of j − 1; those of j and j + 1 follow.
  double* before(std::int64_t micro_batch, std::int64_t j) const {
    return cells_ + (micro_batch & mask_) * stride_ + j;
  }

 private:
  double* cells_ = nullptr;
  std::int64_t stride_ = 0;
  std::int64_t mask_ = 0;
};

// Plays all steps. clock[i] is the time stage i is free: 0 at first, in the end when it is done.
// record(stage, j, step, waited) is told of each step, and whether its stage had to wait for it.
template <class Record>
void play(ScheduleId schedule, const PipelineShape& shape, const StageCost* costs,
          const Arrivals& arrivals, Seconds* clock, Record&& record) {
  const std::int64_t p = shape.stages;
  walk(schedule, shape, [=, &record](std::int64_t stage, const Step& step) {
    const std::int64_t j = step.chunk * p + stage;
    const bool forward = step.kind == StepKind::forward;
    double* const cells = arrivals.before(step.micro_batch, j);
    const double arrived = forward ? cells[0] : cells[2];
    const double free = clock[stage].si();
    record(stage, j, step, arrived > free);
    const StageCost& cost = costs[j];
    const double done = std::max(free, arrived) + (forward ? cost.forward : cost.backward);
    clock[stage] = Seconds(done);
    cells[1] = done + (forward ? cost.forward_delay : cost.backward_delay);
  });
}

void fill_busy(const PipelineShape& shape, const PipelineCosts& costs, std::vector<Seconds>& busy) {
  const auto p = static_cast<std::size_t>(shape.stages);
  const auto m = static_cast<double>(shape.micro_batches);
  busy.assign(p, Seconds(0));
  for (std::size_t chunk = 0; chunk < costs.forward.size(); chunk += p) {
    for (std::size_t i = 0; i < p; ++i) {
      busy[i] += m * (costs.forward[chunk + i] + costs.backward[chunk + i]);
    }
  }
}

// What each step waited for, and the way back from the last one.
class Trace {
 public:
  explicit Trace(const PipelineShape& shape)
      : virtual_stages_(virtual_stages(shape)),
        last_of_stage_(static_cast<std::size_t>(shape.stages), kNothing),
        last_of_cell_(static_cast<std::size_t>(virtual_stages_ * shape.micro_batches), kNothing) {
    nodes_.reserve(2 * last_of_cell_.size());
  }

  void add(std::int64_t stage, std::int64_t j, const Step& step, bool waited) {
    const bool forward = step.kind == StepKind::forward;
    const std::int64_t neighbour = forward ? j - 1 : j + 1;
    std::int64_t& own = last_of_stage_[static_cast<std::size_t>(stage)];
    const std::int64_t cause = waited ? cell(step.micro_batch, neighbour) : own;
    own = static_cast<std::int64_t>(nodes_.size());
    cell(step.micro_batch, j) = own;
    nodes_.push_back({cause, static_cast<std::size_t>(j), forward, waited});
  }

  void count_back_from(std::int64_t stage, CriticalPath& path) const {
    std::int64_t at = last_of_stage_[static_cast<std::size_t>(stage)];
    while (at != kNothing) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      ++(node.forward ? path.forward : path.backward)[node.virtual_stage];
      if (node.waited && node.forward) ++path.send_forward[node.virtual_stage - 1];
      if (node.waited && !node.forward) ++path.send_backward[node.virtual_stage];
      at = node.cause;
    }
  }

 private:
  static constexpr std::int64_t kNothing = -1;

  struct Node {
    std::int64_t cause;
    std::size_t virtual_stage;
    bool forward;
    bool waited;  // for a send; else for its stage
  };

  std::int64_t& cell(std::int64_t micro_batch, std::int64_t j) {
    return last_of_cell_[static_cast<std::size_t>(micro_batch * virtual_stages_ + j)];
  }

  std::int64_t virtual_stages_;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> last_of_stage_;
  std::vector<std::int64_t> last_of_cell_;
};

}  // namespace

PipelineTimes sweep(ScheduleId schedule, const PipelineShape& shape, const PipelineCosts& costs,
                    PipelineWorkspace& workspace) {
  fill_busy(shape, costs, workspace.busy);
  if (virtual_stages(shape) == 1) return {workspace.busy[0], workspace.busy, workspace.busy};
  fill_costs(costs, workspace.costs);
  workspace.finish.assign(static_cast<std::size_t>(shape.stages), Seconds(0));
  const Arrivals arrivals(schedule, shape, workspace.arrivals);
  play(schedule, shape, workspace.costs.data(), arrivals, workspace.finish.data(),
       [](std::int64_t, std::int64_t, const Step&, bool) {});
  const Seconds makespan = *std::max_element(workspace.finish.begin(), workspace.finish.end());
  return {makespan, workspace.finish, workspace.busy};
}

CriticalPath critical_path(ScheduleId schedule, const PipelineShape& shape,
                           const PipelineCosts& costs) {
  const std::size_t count = costs.forward.size();
  CriticalPath path;
  path.forward.assign(count, 0);
  path.backward.assign(count, 0);
  path.send_forward.assign(count - 1, 0);
  path.send_backward.assign(count - 1, 0);

  PipelineWorkspace workspace;
  fill_costs(costs, workspace.costs);
  std::vector<Seconds> clock(static_cast<std::size_t>(shape.stages), Seconds(0));
  const Arrivals arrivals(schedule, shape, workspace.arrivals);
  Trace trace(shape);
  play(schedule, shape, workspace.costs.data(), arrivals, clock.data(),
       [&trace](std::int64_t stage, std::int64_t j, const Step& step, bool waited) {
         trace.add(stage, j, step, waited);
       });
  const auto last = std::max_element(clock.begin(), clock.end());
  path.makespan = *last;
  trace.count_back_from(last - clock.begin(), path);
  return path;
}

Seconds pipeline_lower_bound(const PipelineShape& shape, const PipelineCosts& costs) {
  const auto p = static_cast<std::size_t>(shape.stages);
  const auto m = static_cast<double>(shape.micro_batches);
  Seconds bound{};
  Seconds on_the_way{};  // down to stage i and up from it, on chunk 0
  for (std::size_t i = 0; i < p; ++i) {
    Seconds busy{};
    for (std::size_t j = i; j < costs.forward.size(); j += p) {
      busy += costs.forward[j] + costs.backward[j];
    }
    bound = std::max(bound, on_the_way + m * busy);
    on_the_way += costs.forward[i] + costs.backward[i];
    if (i + 1 < p) on_the_way += costs.send_forward[i] + costs.send_backward[i];
  }
  return bound;
}

Seconds pipeline_upper_bound(const PipelineShape& shape, const PipelineCosts& costs) {
  Seconds sum{};
  Seconds slowest{};
  for (std::size_t i = 0; i < costs.forward.size(); ++i) {
    const Seconds both = costs.forward[i] + costs.backward[i];
    sum += both;
    slowest = std::max(slowest, both);
  }
  return sum + static_cast<double>(shape.micro_batches - 1) * slowest;
}

}  // namespace orrery
