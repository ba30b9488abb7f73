// SPDX-License-Identifier: Apache-2.0
//
// The schedules there are: one line each, in the order of ScheduleId.
//
// Seen by the table (table.cpp) and by those who play schedules step by step (walk.h). A line names
// the type that has the schedule's order: in closed form (one_f_one_b.h is a short one), or written
// out (zero_bubble.h). A type that lacks a member, or a missing line, does not compile.
// Errors: none.
#pragma once

#include <tuple>

#include "parallel/schedules/breadth_first.h"
#include "parallel/schedules/dualpipe.h"
#include "parallel/schedules/gpipe.h"
#include "parallel/schedules/interleaved.h"
#include "parallel/schedules/one_f_one_b.h"
#include "parallel/schedules/table.h"
#include "parallel/schedules/v_blocks.h"
#include "parallel/schedules/zb_v.h"
#include "parallel/schedules/zero_bubble.h"

namespace orrery {

// A type that rounds.h plays, with its memory and bubble.
template <class S>
concept HasRounds = requires {
  typename S::Forward;
  typename S::Backward;
  S::kBackwardSlope;
  S::kSeveralChunks;
  S::rounds;
  S::in_flight;
  S::fullest;
  S::bubble;
};

template <class S>
concept HasPrograms = requires {
  S::kLayout;
  S::kPairs;       // has steps of two micro batches
  S::kZeroBubble;  // the published bubble counts on an optimizer step that waits for no other stage
  S::programs;
  S::bubble;  // nullptr where no formula is published
};

template <ScheduleId kScheduleId, HasRounds Type, ChunksTaken kChunksTaken>
struct ClosedForm {
  using Order = Type;
  static constexpr bool kClosedForm = true;
  static constexpr ScheduleId kId = kScheduleId;
  static constexpr ChunksTaken kChunks = kChunksTaken;
};

template <ScheduleId kScheduleId, HasPrograms Type, ChunksTaken kChunksTaken>
struct WrittenOut {
  using Order = Type;
  static constexpr bool kClosedForm = false;
  static constexpr ScheduleId kId = kScheduleId;
  static constexpr ChunksTaken kChunks = kChunksTaken;
};

// The user's own, of a file.
struct OfAFile {
  static constexpr bool kClosedForm = false;
  static constexpr ScheduleId kId = ScheduleId::own;
};

inline constexpr std::tuple<ClosedForm<ScheduleId::gpipe, GPipe, ChunksTaken::one>,
                            ClosedForm<ScheduleId::one_f_one_b, OneFOneB, ChunksTaken::one>,
                            ClosedForm<ScheduleId::interleaved, Interleaved, ChunksTaken::several>,
                            // DeepSpeed's TrainSchedule has the order of 1F1B.
                            ClosedForm<ScheduleId::deepspeed, OneFOneB, ChunksTaken::one>,
                            WrittenOut<ScheduleId::zb_h1, ZbH1, ChunksTaken::one>,
                            WrittenOut<ScheduleId::zb_h2, ZbH2, ChunksTaken::one>,
                            WrittenOut<ScheduleId::zb_v, ZbV, ChunksTaken::two>,
                            WrittenOut<ScheduleId::v_half, VHalf, ChunksTaken::two>,
                            WrittenOut<ScheduleId::v_min, VMin, ChunksTaken::two>,
                            WrittenOut<ScheduleId::dualpipe, DualPipe, ChunksTaken::one>,
                            WrittenOut<ScheduleId::dualpipev, DualPipeV, ChunksTaken::two>,
                            ClosedForm<ScheduleId::breadth_first, BreadthFirst, ChunksTaken::any>,
                            OfAFile>
    kScheduleList;

}  // namespace orrery
