// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/order.h"

namespace orrery {

ResultsDone::ResultsDone(ChunkLayout layout, const PipelineShape& shape)
    : parts_(parts(layout, shape)),
      done_(static_cast<std::size_t>(2 * parts_ * shape.micro_batches), false) {}

std::optional<Result> missing_of(ChunkLayout layout, const PipelineShape& shape,
                                 const ResultsDone& done, std::int64_t stage, const Step& step) {
  std::optional<Result> missing;
  for_each_need(layout, shape, stage, step, [&](const Result& r) {
    if (!missing && !done.has(r)) missing = r;
  });
  return missing;
}

}  // namespace orrery
