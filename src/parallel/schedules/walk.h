// SPDX-License-Identifier: Apache-2.0
//
// Plays any schedule step by step. The visitor is inlined, so this is a header. Errors: none.
#pragma once

#include <cstdint>
#include <tuple>

#include "parallel/schedules/list.h"
#include "parallel/schedules/order.h"
#include "parallel/schedules/rounds.h"
#include "parallel/schedules/table.h"

namespace orrery {

// Calls call<Order>() with the order of the schedule, if it has a closed form.
template <class Call>
void with_rounds_of(ScheduleId id, Call&& call) {
  const auto one = [&]<class Line>(const Line&) {
    if constexpr (Line::kClosedForm) {
      if (Line::kId == id) call.template operator()<typename Line::Order>();
    }
  };
  std::apply([&](const auto&... lines) { (one(lines), ...); }, kScheduleList);
}

// A step of the first run, in the run whose micro batches begin with `first`.
constexpr Step in_run(Step step, std::int64_t first) {
  step.micro_batch += first;
  step.backward_micro_batch += first;
  return step;
}

// Calls visit(stage, Step) for every step of all stages, each after all it needs. Allocates where
// the schedule is written out.
template <class Visit>
void walk(const ScheduleRef& schedule, const PipelineShape& shape, Visit&& visit) {
  if (schedule.entry().written_out) {
    walk_programs(schedule.layout(), shape, programs_of(schedule, shape), visit);
    return;
  }
  const PipelineShape one = one_run(shape);
  for (std::int64_t first = 0; first < shape.micro_batches; first += one.micro_batches) {
    with_rounds_of(schedule.id, [&]<class S>() {
      walk_rounds<S>(
          one, [&](std::int64_t stage, const Step& step) { visit(stage, in_run(step, first)); });
    });
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
    return;
  }
  const PipelineShape one = one_run(shape);
  for (std::int64_t first = 0; first < shape.micro_batches; first += one.micro_batches) {
    with_rounds_of(schedule.id, [&]<class S>() {
      walk_stage_rounds<S>(one, stage, [&](const Step& step) { visit(in_run(step, first)); });
    });
  }
}

}  // namespace orrery
