// SPDX-License-Identifier: Apache-2.0
//
// Plays any schedule step by step. `visit` is inlined: the sweep of a schedule costs 1 to 3 ns a
// step (bench/pipeline_bench.cpp), which is why this is a header.
#pragma once

#include <cstdint>
#include <tuple>

#include "parallel/schedules/list.h"
#include "parallel/schedules/order.h"
#include "parallel/schedules/rounds.h"
#include "parallel/schedules/table.h"

namespace orrery {

namespace detail {

// Calls call<Order>() with the order of the schedule, if it is told in rounds.
template <class Call>
void with_rounds_of(ScheduleId id, Call&& call) {
  const auto one = [&]<class Line>(const Line&) {
    if constexpr (Line::kTold) {
      if (Line::kId == id) call.template operator()<typename Line::Order>();
    }
  };
  std::apply([&](const auto&... lines) { (one(lines), ...); }, kScheduleList);
}

}  // namespace detail

// Calls visit(stage, Step) for every step of all stages, each after all it needs. The schedule must
// be told in rounds.
template <class Visit>
void walk_told(ScheduleId id, const PipelineShape& shape, Visit&& visit) {
  detail::with_rounds_of(id, [&]<class S>() { walk_rounds<S>(shape, visit); });
}

// The same for any schedule. Allocates where the schedule is written out.
template <class Visit>
void walk(const ScheduleRef& schedule, const PipelineShape& shape, Visit&& visit) {
  if (schedule.entry().written_out) {
    walk_programs(schedule.layout(), shape, programs_of(schedule, shape), visit);
  } else {
    walk_told(schedule.id, shape, visit);
  }
}

// Calls visit(Step) for the steps of one stage, in its order. A schedule that is written out writes
// all its stages for that: where several are wanted, ask programs_of.
template <class Visit>
void walk_stage(const ScheduleRef& schedule, const PipelineShape& shape, std::int64_t stage,
                Visit&& visit) {
  if (schedule.entry().written_out) {
    const Programs all = programs_of(schedule, shape);
    for (const Step& step : all[static_cast<std::size_t>(stage)]) visit(step);
  } else {
    detail::with_rounds_of(schedule.id,
                           [&]<class S>() { walk_stage_rounds<S>(shape, stage, visit); });
  }
}

}  // namespace orrery
