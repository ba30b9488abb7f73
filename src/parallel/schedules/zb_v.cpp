// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/zb_v.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::int64_t kDown = 0;
constexpr std::int64_t kUp = 1;

// Steps of one stage, each kind and chunk in the order of micro batches. The order is that of at
// least 2p − 1 micro batches, without the steps of those that there are not.
class ZbVWriter {
 public:
  ZbVWriter(const PipelineShape& shape, std::int64_t stage)
      : m_(shape.micro_batches),
        n_(std::max(shape.micro_batches, 2 * shape.stages - 1)),
        before_(stage),
        from_here_(shape.stages - stage) {}

  Program write() {
    warm_up();
    while (forward_[kUp] < forward_[kDown] || forward_[kDown] < n_) {
      if (forward_[kDown] < n_) forward(kDown);
      whole_backward(kDown);
      forward(kUp);
      whole_backward(kUp);
    }
    drain();
    return std::move(steps_);
  }

 private:
  using Counts = std::array<std::int64_t, 2>;  // by chunk

  void warm_up() {
    for (std::int64_t k = 0; k < 2 * from_here_ - 1; ++k) forward(kDown);
    for (std::int64_t k = 0; k < before_; ++k) {
      forward(kUp);
      forward(kDown);
    }
    for (std::int64_t k = 0; k < from_here_; ++k) {
      forward(kUp);
      whole_backward(kUp);
    }
  }

  void drain() {
    for (std::int64_t k = 0; k < before_; ++k) {
      input_gradient(kDown);
      input_gradient(kUp);
    }
    for (std::int64_t k = 0; k < from_here_; ++k) {
      input_gradient(kDown);
      weight_gradient(kDown);
    }
    while (weight_[kUp] < input_[kUp]) weight_gradient(kUp);
    while (weight_[kDown] < input_[kDown]) weight_gradient(kDown);
  }

  void forward(std::int64_t chunk) { add(StepKind::forward, chunk, forward_); }
  void input_gradient(std::int64_t chunk) { add(StepKind::input_gradient, chunk, input_); }
  void weight_gradient(std::int64_t chunk) { add(StepKind::weight_gradient, chunk, weight_); }
  void whole_backward(std::int64_t chunk) {
    input_gradient(chunk);
    weight_gradient(chunk);
  }

  void add(StepKind kind, std::int64_t chunk, Counts& counts) {
    const std::int64_t micro_batch = counts[static_cast<std::size_t>(chunk)]++;
    if (micro_batch < m_) steps_.push_back({kind, chunk, micro_batch});
  }

  std::int64_t m_;
  std::int64_t n_;
  std::int64_t before_;     // stages before this one
  std::int64_t from_here_;  // stages from this one to the last
  Counts forward_{};
  Counts input_{};
  Counts weight_{};
  Program steps_;
};

}  // namespace

Programs ZbV::programs(const PipelineShape& shape) {
  Programs all;
  for (std::int64_t i = 0; i < shape.stages; ++i) all.push_back(ZbVWriter(shape, i).write());
  return all;
}

}  // namespace orrery
