// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/table.h"

#include "parallel/schedules/list.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

template <ScheduleId id, class S, ChunksTaken chunks>
constexpr Schedule entry_of(const ClosedForm<id, S, chunks>&) {
  Schedule s;
  s.id = id;
  s.chunks = chunks;
  s.in_flight = &S::in_flight;
  s.fullest = &S::fullest;
  s.bubble = &S::bubble;
  return s;
}

template <ScheduleId id, class S, ChunksTaken chunks>
constexpr Schedule entry_of(const WrittenOut<id, S, chunks>&) {
  Schedule s;
  s.id = id;
  s.layout = S::kLayout;
  s.chunks = chunks;
  s.written_out = true;
  s.pairs = S::kPairs;
  s.zero_bubble = S::kZeroBubble;
  s.programs = &S::programs;
  s.bubble = S::bubble;
  return s;
}

constexpr Schedule entry_of(const OfAFile&) {
  Schedule s;
  s.id = ScheduleId::own;
  s.chunks = ChunksTaken::any;
  s.written_out = true;
  return s;
}

constexpr auto kTable = std::apply(
    [](const auto&... lines) { return EnumArray<ScheduleId, Schedule>(entry_of(lines)...); },
    kScheduleList);

constexpr bool in_order_of_ids() {
  for (const ScheduleId id : kAllOf<ScheduleId>) {
    if (kTable[id].id != id) return false;
  }
  return true;
}
static_assert(in_order_of_ids(), "list.h is in the order of ScheduleId");

// The programs of one run, run after run.
Programs repeated(Programs programs, std::int64_t runs, std::int64_t micro_batches) {
  for (Program& program : programs) {
    const std::size_t steps = program.size();
    program.reserve(steps * static_cast<std::size_t>(runs));
    for (std::int64_t run = 1; run < runs; ++run) {
      for (std::size_t i = 0; i < steps; ++i) {
        program.push_back(in_run(program[i], run * micro_batches));
      }
    }
  }
  return programs;
}

}  // namespace

constinit const EnumArray<ScheduleId, Schedule> kSchedules = kTable;

Programs programs_of(const ScheduleRef& schedule, const PipelineShape& shape) {
  if (schedule.own != nullptr) return schedule.own->programs;
  if (schedule.entry().written_out) {
    const PipelineShape one = one_run(shape);
    return repeated(schedule.entry().programs(one), shape.runs, one.micro_batches);
  }
  Programs all(static_cast<std::size_t>(shape.stages));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].reserve(static_cast<std::size_t>(2 * steps_each_way(shape)));
    walk_stage(schedule, shape, static_cast<std::int64_t>(i),
               [&](const Step& step) { all[i].push_back(step); });
  }
  return all;
}

}  // namespace orrery
