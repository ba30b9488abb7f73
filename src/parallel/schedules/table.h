// SPDX-License-Identifier: Apache-2.0
//
// Every pipeline schedule by name: its order, what it keeps in memory, its bubble.
//
// A schedule is one file of this folder and one line of kSchedules. Walks go through one door for
// all of them: walk, walk_stage, programs_of. Which shapes a schedule can take, parallel/rules.h
// says; with others these functions may not be called.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "core/enum_names.h"
#include "orrery/quantity.h"
#include "parallel/schedules/breadth_first.h"
#include "parallel/schedules/dualpipe.h"
#include "parallel/schedules/gpipe.h"
#include "parallel/schedules/interleaved.h"
#include "parallel/schedules/one_f_one_b.h"
#include "parallel/schedules/order.h"
#include "parallel/schedules/schedule.h"
#include "parallel/schedules/v_blocks.h"
#include "parallel/schedules/walk.h"
#include "parallel/schedules/zb_v.h"
#include "parallel/schedules/zero_bubble.h"
#include "parallel/strategy.h"

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

  bool written_out = false;  // else told in rounds
  bool pairs = false;        // has steps of two micro batches, overlapped
  bool zero_bubble = false;  // counts on an optimizer step that waits for no other stage

  // Of a schedule that is written out by us: the program of every stage.
  Programs (*programs)(const PipelineShape&) = nullptr;

  // Of a schedule told in rounds: micro batches, of all chunks together, whose activations a stage
  // holds at its fullest.
  std::int64_t (*in_flight)(const PipelineShape&, std::int64_t stage) = nullptr;

  // The same chunk by chunk at the moment when Σ held[c]·weight[c] is largest, weight[c] being what
  // one micro batch keeps of chunk c. Both spans have v entries.
  void (*fullest)(const PipelineShape&, std::int64_t stage, std::span<const double> weight,
                  std::span<std::int64_t> held) = nullptr;

  // As published: what the stage that waits longest waits in one step if all parts are equal and
  // sends are free; nothing where no formula is published. Where it is not the order's exactly, the
  // schedule's file says so.
  Seconds (*bubble)(const PipelineShape&, const StepTimes<Seconds>& of_a_part) = nullptr;

  constexpr bool interleaves() const { return chunks != ChunksTaken::one; }
};

namespace detail {

template <class S>
constexpr Schedule in_rounds(ScheduleId id, ChunksTaken chunks) {
  Schedule s;
  s.id = id;
  s.chunks = chunks;
  s.in_flight = &S::in_flight;
  s.fullest = &S::fullest;
  s.bubble = &S::bubble;
  return s;
}

template <class S>
constexpr Schedule written(ScheduleId id, ChunksTaken chunks) {
  Schedule s;
  s.id = id;
  s.layout = S::kLayout;
  s.chunks = chunks;
  s.written_out = true;
  s.pairs = requires { S::kPairs; };
  s.zero_bubble = !s.pairs;
  s.programs = &S::programs;
  if constexpr (requires { &S::bubble; }) s.bubble = &S::bubble;
  return s;
}

constexpr Schedule of_a_file() {
  Schedule s;
  s.id = ScheduleId::own;
  s.chunks = ChunksTaken::any;
  s.written_out = true;
  return s;
}

}  // namespace detail

// In the order of ScheduleId.
inline constexpr std::array<Schedule, kCountOf<ScheduleId>> kSchedules = {
    detail::in_rounds<GPipe>(ScheduleId::gpipe, ChunksTaken::one),
    detail::in_rounds<OneFOneB>(ScheduleId::one_f_one_b, ChunksTaken::one),
    detail::in_rounds<Interleaved>(ScheduleId::interleaved, ChunksTaken::several),
    // DeepSpeed's TrainSchedule has the order of 1F1B.
    detail::in_rounds<OneFOneB>(ScheduleId::deepspeed, ChunksTaken::one),
    detail::written<ZbH1>(ScheduleId::zb_h1, ChunksTaken::one),
    detail::written<ZbH2>(ScheduleId::zb_h2, ChunksTaken::one),
    detail::written<ZbV>(ScheduleId::zb_v, ChunksTaken::two),
    detail::written<VHalf>(ScheduleId::v_half, ChunksTaken::two),
    detail::written<VMin>(ScheduleId::v_min, ChunksTaken::two),
    detail::written<DualPipe>(ScheduleId::dualpipe, ChunksTaken::one),
    detail::written<DualPipeV>(ScheduleId::dualpipev, ChunksTaken::two),
    detail::in_rounds<BreadthFirst>(ScheduleId::breadth_first, ChunksTaken::any),
    detail::of_a_file(),
};

constexpr const Schedule& schedule_of(ScheduleId id) {
  return kSchedules[static_cast<std::size_t>(id)];
}

constexpr ChunkLayout layout_of(ScheduleId id) { return schedule_of(id).layout; }

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
                                       std::int64_t vpp, std::int64_t micro_batches) {
  return {pp, vpp * copies_of_model(schedule.layout()), micro_batches};
}

// What every stage does, in its order.
Programs programs_of(const ScheduleRef& schedule, const PipelineShape& shape);

// Of a schedule told in rounds; visit is inlined.
template <class Visit>
void walk_told(ScheduleId id, const PipelineShape& shape, Visit&& visit) {
  switch (id) {
    case ScheduleId::gpipe:
      return walk_rounds<GPipe>(shape, std::forward<Visit>(visit));
    case ScheduleId::interleaved:
      return walk_rounds<Interleaved>(shape, std::forward<Visit>(visit));
    case ScheduleId::breadth_first:
      return walk_rounds<BreadthFirst>(shape, std::forward<Visit>(visit));
    default:
      return walk_rounds<OneFOneB>(shape, std::forward<Visit>(visit));
  }
}

// Calls visit(stage, Step) for every step of all stages, each after all it needs. Allocates where
// the schedule is written out.
template <class Visit>
void walk(const ScheduleRef& schedule, const PipelineShape& shape, Visit&& visit) {
  if (schedule.entry().written_out) {
    walk_programs(schedule.layout(), shape, programs_of(schedule, shape),
                  std::forward<Visit>(visit));
  } else {
    walk_told(schedule.id, shape, std::forward<Visit>(visit));
  }
}

// Calls visit(Step) for the steps of one stage, in its order. A schedule that is written out writes
// all its stages for that: where several are wanted, ask programs_of.
template <class Visit>
void walk_stage(const ScheduleRef& schedule, const PipelineShape& shape, std::int64_t stage,
                Visit&& visit) {
  switch (schedule.id) {
    case ScheduleId::gpipe:
      return walk_stage_rounds<GPipe>(shape, stage, std::forward<Visit>(visit));
    case ScheduleId::interleaved:
      return walk_stage_rounds<Interleaved>(shape, stage, std::forward<Visit>(visit));
    case ScheduleId::breadth_first:
      return walk_stage_rounds<BreadthFirst>(shape, stage, std::forward<Visit>(visit));
    case ScheduleId::one_f_one_b:
    case ScheduleId::deepspeed:
      return walk_stage_rounds<OneFOneB>(shape, stage, std::forward<Visit>(visit));
    default: {
      const Programs all = programs_of(schedule, shape);
      for (const Step& step : all[static_cast<std::size_t>(stage)]) visit(step);
    }
  }
}

}  // namespace orrery
