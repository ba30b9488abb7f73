// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/table.h"

namespace orrery {

Programs programs_of(ScheduleId id, const PipelineShape& shape) {
  const Schedule& s = schedule_of(id);
  if (s.written_out()) return s.programs(shape);
  Programs all(static_cast<std::size_t>(shape.stages));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].reserve(static_cast<std::size_t>(2 * steps_each_way(shape)));
    walk_stage(id, shape, static_cast<std::int64_t>(i),
               [&](const Step& step) { all[i].push_back(step); });
  }
  return all;
}

}  // namespace orrery
