// SPDX-License-Identifier: Apache-2.0
//
// Every pipeline schedule by name: its order, what it keeps in memory, its bubble.
//
// A schedule is one file of this folder and one line of kSchedules. Lines without functions are
// schedules known by name and not built yet; parallel/rules.h refuses them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "orrery/quantity.h"
#include "parallel/schedules/gpipe.h"
#include "parallel/schedules/interleaved.h"
#include "parallel/schedules/one_f_one_b.h"
#include "parallel/schedules/schedule.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"

namespace orrery {

struct Schedule {
  ScheduleId id = ScheduleId::one_f_one_b;

  // Micro batches, of all chunks together, whose activations a stage holds at its fullest.
  std::int64_t (*in_flight)(const PipelineShape&, std::int64_t stage) = nullptr;

  // The same chunk by chunk at the moment when Σ held[c]·weight[c] is largest, weight[c] being what
  // one micro batch keeps of chunk c. Both spans have v entries.
  void (*fullest)(const PipelineShape&, std::int64_t stage, std::span<const double> weight,
                  std::span<std::int64_t> held) = nullptr;

  // What a stage waits in one step if all stages are equal and sends are free; forward and backward
  // are of one whole stage (all its chunks) and one micro batch.
  Seconds (*bubble)(const PipelineShape&, Seconds forward, Seconds backward) = nullptr;

  bool interleaves = false;  // runs v > 1 chunks a stage

  constexpr bool built() const { return in_flight != nullptr; }
};

namespace detail {

template <class S>
constexpr Schedule entry(ScheduleId id) {
  return {id, &S::in_flight, &S::fullest, &S::bubble, S::kInterleaves};
}
constexpr Schedule not_built_yet(ScheduleId id) { return {id}; }

}  // namespace detail

// In the order of ScheduleId.
inline constexpr std::array<Schedule, kScheduleNames.size()> kSchedules = {
    detail::entry<GPipe>(ScheduleId::gpipe),
    detail::entry<OneFOneB>(ScheduleId::one_f_one_b),
    detail::entry<Interleaved>(ScheduleId::interleaved),
    detail::entry<OneFOneB>(ScheduleId::deepspeed),  // its TrainSchedule has the order of 1F1B
    detail::not_built_yet(ScheduleId::zb_h1),
    detail::not_built_yet(ScheduleId::zb_h2),
    detail::not_built_yet(ScheduleId::zb_v),
    detail::not_built_yet(ScheduleId::v_half),
    detail::not_built_yet(ScheduleId::v_min),
    detail::not_built_yet(ScheduleId::dualpipe),
    detail::not_built_yet(ScheduleId::dualpipev),
    detail::not_built_yet(ScheduleId::breadth_first),
};

constexpr const Schedule& schedule_of(ScheduleId id) {
  return kSchedules[static_cast<std::size_t>(id)];
}

constexpr std::string_view name_of(ScheduleId id) {
  return kScheduleNames[static_cast<std::size_t>(id)];
}

// Calls visit(stage, Step) for every step of all stages, each after all it waits for. The schedule
// must be built.
template <class Visit>
void walk(ScheduleId id, const PipelineShape& shape, Visit&& visit) {
  switch (id) {
    case ScheduleId::gpipe:
      return walk_rounds<GPipe>(shape, std::forward<Visit>(visit));
    case ScheduleId::interleaved:
      return walk_rounds<Interleaved>(shape, std::forward<Visit>(visit));
    default:
      return walk_rounds<OneFOneB>(shape, std::forward<Visit>(visit));
  }
}

// Calls visit(Step) for the steps of one stage, in its order.
template <class Visit>
void walk_stage(ScheduleId id, const PipelineShape& shape, std::int64_t stage, Visit&& visit) {
  switch (id) {
    case ScheduleId::gpipe:
      return walk_stage_rounds<GPipe>(shape, stage, std::forward<Visit>(visit));
    case ScheduleId::interleaved:
      return walk_stage_rounds<Interleaved>(shape, stage, std::forward<Visit>(visit));
    default:
      return walk_stage_rounds<OneFOneB>(shape, stage, std::forward<Visit>(visit));
  }
}

}  // namespace orrery
