// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/table.h"

namespace orrery {

Programs programs_of(const ScheduleRef& schedule, const PipelineShape& shape) {
  if (schedule.own != nullptr) return schedule.own->programs;
  if (schedule.entry().written_out) return schedule.entry().programs(shape);
  Programs all(static_cast<std::size_t>(shape.stages));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].reserve(static_cast<std::size_t>(2 * steps_each_way(shape)));
    walk_stage(schedule, shape, static_cast<std::int64_t>(i),
               [&](const Step& step) { all[i].push_back(step); });
  }
  return all;
}

}  // namespace orrery
