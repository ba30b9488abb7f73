// SPDX-License-Identifier: Apache-2.0
//
// Every pipeline schedule by name: its order, what it keeps in memory, its bubble.
//
// A schedule is one file of this folder and one line of list.h. All of them are played through one
// door: programs_of here, walk and walk_stage in walk.h. Which shapes a schedule can take,
// parallel/rules.h says; with others these functions may not be called. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/enum_names.h"
#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"
#include "parallel/strategy_choices.h"

namespace orrery {

// Chunks of the model a stage may hold (`vpp`).
enum class ChunksTaken : std::uint8_t { one, two, several, any };
constexpr EnumNames<ChunksTaken> names_of(ChunksTaken) {
  return {"vpp 1", "vpp 2", "vpp above 1", "any vpp"};
}

struct Schedule {
  ScheduleId id = ScheduleId::one_f_one_b;
  ChunkLayout layout = ChunkLayout::looped;
  ChunksTaken chunks = ChunksTaken::one;

  bool written_out = false;  // else in closed form
  bool pairs = false;        // has steps of two micro batches, overlapped
  bool zero_bubble = false;  // counts on an optimizer step that waits for no other stage

  // For a schedule that we write out: the program of every stage.
  Programs (*programs)(const PipelineShape&) = nullptr;

  // For a closed-form schedule: micro batches, of all chunks together, whose activations a stage
  // holds at its fullest moment.
  std::int64_t (*in_flight)(const PipelineShape&, std::int64_t stage) = nullptr;

  // The same chunk by chunk at the moment when Σ held[c]·weight[c] is largest, weight[c] being what
  // one micro batch keeps of chunk c. Both spans have v entries.
  void (*fullest)(const PipelineShape&, std::int64_t stage, std::span<const double> weight,
                  std::span<std::int64_t> held) = nullptr;

  // The published bubble: the longest wait of a stage in one step if all parts are equal and sends
  // are free; null if no formula is published. If the order waits otherwise, the schedule's file
  // says so.
  Seconds (*bubble)(const PipelineShape&, const StepTimes<Seconds>& of_a_part) = nullptr;
};

// In the order of ScheduleId.
extern const EnumArray<ScheduleId, Schedule> kSchedules;

inline const Schedule& schedule_of(ScheduleId id) { return kSchedules[id]; }

inline ChunkLayout layout_of(ScheduleId id) { return schedule_of(id).layout; }

// A schedule as a run has it: one of the table, or an order of the user's own, which must outlive
// this.
struct ScheduleRef {
  ScheduleId id = ScheduleId::one_f_one_b;
  const OwnOrder* own = nullptr;

  ScheduleRef(ScheduleId named) : id(named) {}  // NOLINT: a name is a schedule
  ScheduleRef(ScheduleId named, const OwnOrder* order) : id(named), own(order) {}

  const Schedule& entry() const { return schedule_of(id); }
  ChunkLayout layout() const { return own != nullptr ? own->layout : entry().layout; }

  bool operator==(const ScheduleRef&) const = default;
};

// The shape of a strategy's pipeline: a stage of two copies holds a chunk of each.
inline PipelineShape shape_of_pipeline(const ScheduleRef& schedule, std::int64_t pp,
                                       std::int64_t vpp, std::int64_t micro_batches,
                                       std::int64_t runs = 1) {
  return {pp, vpp * copies_of_model(schedule.layout()), micro_batches, runs};
}

// The steps of every stage, in order.
Programs programs_of(const ScheduleRef& schedule, const PipelineShape& shape);

}  // namespace orrery
