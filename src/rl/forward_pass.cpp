// SPDX-License-Identifier: Apache-2.0
#include "rl/forward_pass.h"

#include <algorithm>

#include "core/divide.h"
#include "estimate/run.h"
#include "estimate/workspace.h"

namespace orrery {

Seconds forward_pass(const Run& run, const Workspace& w, std::int64_t micro_batches) {
  const std::int64_t m = divided_up(micro_batches, copies_of_model(schedule_of(run).layout()));
  Seconds slowest{};
  Seconds once{};
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    Seconds stage{};
    for_each_chunk(run, i,
                   [&](std::int64_t part) { stage += w.forward[static_cast<std::size_t>(part)]; });
    slowest = std::max(slowest, stage);
    once += stage;
  }
  for (const Seconds send : w.send_forward) once += send;
  return slowest * static_cast<double>(m - 1) + once;
}

Seconds teacher_pass(const Run& learner, const Architecture& teacher, Workspace& w,
                     std::int64_t micro_batches) {
  Run run = learner;
  run.model = teacher;
  Strategy& s = run.strategy;
  if (!is_moe(teacher) || teacher.moe.experts % s.ep != 0) s.ep = s.etp = 1;
  s.listed_stages = false;
  estimate(run, w);
  return forward_pass(run, w, micro_batches);
}

}  // namespace orrery
