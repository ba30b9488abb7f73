// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/zero_bubble.h"

namespace orrery {

Program zero_bubble_program(const PipelineShape& shape, const ZeroBubbleCounts& counts) {
  const std::int64_t m = shape.micro_batches;
  Program steps;
  steps.reserve(static_cast<std::size_t>(3 * m));
  std::int64_t forward = 0;
  std::int64_t weight = 0;
  while (forward < std::min(m, counts.warm_up)) steps.push_back({StepKind::forward, 0, forward++});
  for (std::int64_t k = 0; k < m; ++k) {
    steps.push_back({StepKind::input_gradient, 0, k});
    if (k >= counts.put_off) steps.push_back({StepKind::weight_gradient, 0, weight++});
    if (forward < m) steps.push_back({StepKind::forward, 0, forward++});
  }
  while (weight < m) steps.push_back({StepKind::weight_gradient, 0, weight++});
  return steps;
}

}  // namespace orrery
