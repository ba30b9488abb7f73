// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/v_blocks.h"

#include <algorithm>
#include <array>
#include <optional>

#include "parallel/schedules/order.h"

namespace orrery {
namespace {

constexpr std::int64_t kInterval = 6;  // units of a micro batch: F, B and W of two chunks

// The passes of a block in the order of time: F0 down, F1 up, B1 down, B0 up.
constexpr std::array<Step, 4> kPasses = {{{StepKind::forward, 0, 0},
                                          {StepKind::forward, 1, 0},
                                          {StepKind::input_gradient, 1, 0},
                                          {StepKind::input_gradient, 0, 0}}};
using Slopes = std::array<std::int64_t, 4>;

class VBlock {
 public:
  VBlock(std::int64_t stages, const Slopes& slopes) : p_(stages), slopes_(slopes) { find(1); }

  // When the stage does pass `k` of micro batch 0.
  std::int64_t time(std::size_t k, std::int64_t stage) const {
    const bool down = k % 2 == 0;
    return start_[k] + slopes_[k] * (down ? stage : p_ - 1 - stage);
  }

 private:
  // Every start a little later until no two steps of a stage fall together.
  bool find(std::size_t k) {
    if (k == kPasses.size()) return true;
    const std::int64_t before = start_[k - 1] + slopes_[k - 1] * (p_ - 1);
    for (std::int64_t later = 1; later <= kInterval; ++later) {
      start_[k] = before + later;
      if (is_free(k) && find(k + 1)) return true;
    }
    return false;
  }

  bool is_free(std::size_t k) const {
    for (std::int64_t i = 0; i < p_; ++i) {
      for (std::size_t other = 0; other < k; ++other) {
        if ((time(k, i) - time(other, i)) % kInterval == 0) return false;
      }
    }
    return true;
  }

  std::int64_t p_;
  Slopes slopes_;
  std::array<std::int64_t, 4> start_{};
};

struct Timed {
  std::int64_t time = 0;
  Step step;
};
using TimedProgram = std::vector<Timed>;

// All micro batches' copies of some steps of micro batch 0, by time.
TimedProgram repeated(const TimedProgram& block, std::int64_t micro_batches) {
  TimedProgram all;
  for (std::int64_t m = 0; m < micro_batches; ++m) {
    for (const Timed& t : block) {
      all.push_back({t.time + kInterval * m, {t.step.kind, t.step.chunk, m}});
    }
  }
  std::sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
  return all;
}

// The weight gradients of micro batch 0: after their input gradients, where the stage is free.
TimedProgram weight_steps(const TimedProgram& passes) {
  std::array<bool, kInterval> used{};
  for (const Timed& t : passes) used[static_cast<std::size_t>(t.time % kInterval)] = true;
  TimedProgram steps;
  for (const Timed& t : passes) {
    if (t.step.kind != StepKind::input_gradient) continue;
    std::int64_t at = t.time + 1;
    while (used[static_cast<std::size_t>(at % kInterval)]) ++at;
    used[static_cast<std::size_t>(at % kInterval)] = true;
    steps.push_back({at, {StepKind::weight_gradient, t.step.chunk, 0}});
  }
  return steps;
}

// Plays a stage in units of time: its passes in order, weight gradients beside them.
class StagePlay {
 public:
  StagePlay(TimedProgram passes, TimedProgram weights)
      : passes_(std::move(passes)), weights_(std::move(weights)) {}

  bool is_done() const { return pass_ == passes_.size() && weight_ == weights_.size(); }

  // The step to do in this unit, if any.
  template <class IsReady>
  std::optional<Step> next(IsReady&& is_ready) {
    const bool weight_left = weight_ < weights_.size() && is_ready(weights_[weight_].step);
    const bool pass_left = pass_ < passes_.size();
    const bool due = weight_left && (!pass_left || weights_[weight_].time < passes_[pass_].time);
    if (pass_left && is_ready(passes_[pass_].step)) {
      const bool forward = passes_[pass_].step.kind == StepKind::forward;
      if (!(due && forward)) return passes_[pass_++].step;
    }
    if (weight_left) return weights_[weight_++].step;
    return {};
  }

 private:
  TimedProgram passes_;
  TimedProgram weights_;
  std::size_t pass_ = 0;
  std::size_t weight_ = 0;
};

std::vector<StagePlay> stage_plays(const PipelineShape& shape, const Slopes& slopes) {
  const VBlock block(shape.stages, slopes);
  std::vector<StagePlay> stages;
  for (std::int64_t i = 0; i < shape.stages; ++i) {
    TimedProgram passes;
    for (std::size_t k = 0; k < kPasses.size(); ++k) {
      passes.push_back({block.time(k, i), kPasses[k]});
    }
    stages.emplace_back(repeated(passes, shape.micro_batches),
                        repeated(weight_steps(passes), shape.micro_batches));
  }
  return stages;
}

Programs squeezed(const PipelineShape& shape, const Slopes& slopes) {
  constexpr ChunkLayout kLayout = ChunkLayout::v_shaped;
  std::vector<StagePlay> stages = stage_plays(shape, slopes);
  ResultsDone done(kLayout, shape);
  Programs programs(stages.size());
  std::vector<Result> of_this_unit;
  bool left = true;
  while (left) {
    left = false;
    of_this_unit.clear();
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const auto stage = static_cast<std::int64_t>(i);
      const std::optional<Step> step = stages[i].next(
          [&](const Step& s) { return !missing_of(kLayout, shape, done, stage, s).has_value(); });
      left = left || !stages[i].is_done();
      if (!step) continue;
      programs[i].push_back(*step);
      for_each_result(kLayout, shape, stage, *step,
                      [&](const Result& r) { of_this_unit.push_back(r); });
    }
    for (const Result& r : of_this_unit) done.add(r);
  }
  return programs;
}

}  // namespace

Programs VHalf::programs(const PipelineShape& shape) { return squeezed(shape, {2, 1, 2, 1}); }

Programs VMin::programs(const PipelineShape& shape) { return squeezed(shape, {1, 1, 1, 1}); }

}  // namespace orrery
