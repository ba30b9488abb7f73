// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/dualpipe.h"

#include <array>
#include <deque>

namespace orrery {
namespace {

constexpr std::int64_t kNear = 0;  // the direction that enters at this end
constexpr std::int64_t kFar = 1;

// The steps of a stage `at` stages from the end of `half` stages, `m` micro batches each direction.
class DualPipeWriter {
 public:
  DualPipeWriter(std::int64_t at, std::int64_t half, std::int64_t m)
      : at_(at), half_(half), m_(m) {}

  Program write() {
    const std::int64_t inner = half_ - at_ - 1;  // stages between this one and the middle
    for (std::int64_t k = 0; k < 2 * inner; ++k) forward(kNear);
    for (std::int64_t k = 0; k <= at_; ++k) {
      forward(kNear);
      forward(kFar);
    }
    for (std::int64_t k = 0; k < inner; ++k) {
      backward(kFar, true);
      oldest_weight_gradient();
      forward(kFar);
    }
    pairs(m_ - 2 * half_ + at_ + 1);
    for (std::int64_t k = 0; k < inner; ++k) {
      backward(kFar, false);
      pair(kFar, kNear);
    }
    last_backwards();
    for (std::int64_t k = 0; k < inner; ++k) {
      oldest_weight_gradient();
      backward(kNear, true);
    }
    while (!put_off_.empty()) oldest_weight_gradient();
    return std::move(steps_);
  }

 private:
  // In the middle the first two are not overlapped: the second waits for the first.
  void pairs(std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      if (k == 0 && at_ + 1 == half_) {
        forward(kNear);
        backward(kFar, false);
      } else {
        pair(kNear, kFar);
      }
      pair(kFar, kNear);
    }
  }

  // The second half of them puts its weight gradients off.
  void last_backwards() {
    const std::int64_t count = 2 * (at_ + 1);
    const std::int64_t whole = at_ + 1;
    for (std::int64_t k = 0; k < count; ++k) backward(k % 2 == 0 ? kFar : kNear, k >= whole);
  }

  void forward(std::int64_t d) { steps_.push_back({StepKind::forward, d, take(forward_, d)}); }

  void backward(std::int64_t d, bool put_off_weight) {
    const std::int64_t micro_batch = take(backward_, d);
    if (put_off_weight) put_off_.push_back({StepKind::weight_gradient, d, micro_batch});
    const StepKind kind = put_off_weight ? StepKind::input_gradient : StepKind::backward;
    steps_.push_back({kind, d, micro_batch});
  }

  void oldest_weight_gradient() {
    steps_.push_back(put_off_.front());
    put_off_.pop_front();
  }

  void pair(std::int64_t forward_d, std::int64_t backward_d) {
    const std::int64_t f = take(forward_, forward_d);
    steps_.push_back({StepKind::pair, forward_d, f, backward_d, take(backward_, backward_d)});
  }

  static std::int64_t take(std::array<std::int64_t, 2>& counts, std::int64_t d) {
    return counts[static_cast<std::size_t>(d)]++;
  }

  std::int64_t at_;
  std::int64_t half_;
  std::int64_t m_;
  std::array<std::int64_t, 2> forward_{};
  std::array<std::int64_t, 2> backward_{};
  std::deque<Step> put_off_;
  Program steps_;
};

// Seen from the other end: directions change places, and those that enter there come second.
void turn(Program& steps, bool other_end, std::int64_t half_of_micro_batches) {
  const auto seat = [&](std::int64_t& chunk, std::int64_t& micro_batch) {
    if (other_end) chunk = 1 - chunk;
    micro_batch += chunk * half_of_micro_batches;
  };
  for (Step& s : steps) {
    seat(s.chunk, s.micro_batch);
    if (s.kind == StepKind::pair) seat(s.backward_chunk, s.backward_micro_batch);
  }
}

}  // namespace

Programs DualPipe::programs(const PipelineShape& shape) {
  const std::int64_t half = shape.stages / 2;
  Programs all;
  for (std::int64_t i = 0; i < shape.stages; ++i) {
    const bool other_end = i >= half;
    Program steps =
        DualPipeWriter(other_end ? shape.stages - 1 - i : i, half, shape.micro_batches / 2).write();
    turn(steps, other_end, shape.micro_batches / 2);
    all.push_back(std::move(steps));
  }
  return all;
}

Programs DualPipeV::programs(const PipelineShape& shape) {
  Programs all;
  for (std::int64_t i = 0; i < shape.stages; ++i) {
    all.push_back(DualPipeWriter(i, shape.stages, shape.micro_batches).write());
  }
  return all;
}

}  // namespace orrery
