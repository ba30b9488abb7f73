// SPDX-License-Identifier: Apache-2.0
//
// The terms that describe every pipeline schedule.
//
// p stages hold v chunks of the model each; m micro batches pass through the parts of the model in
// order. The layout gives the part of chunk c of stage i (part_of). A stage has a fixed order of
// steps: that order is the schedule. A backward step is input and weight gradient together; if the
// two are separate steps, other stages wait only for the input gradient.
//
// A schedule has one of two forms:
//  - closed form: in round r stage i takes the next step of its forward sequence, if one is due,
//    and then the next of its backward sequence. Its position in the forward sequence is
//    r + forward_shift − i, in the backward sequence r + backward_shift + i·backward_slope; at a
//    position outside 0 … m·v − 1 no step is due. The inputs of a step come from an earlier round
//    or, in the same round, from the same stage or a later one. So the rounds in order, the stages
//    of each from last to first, are a topological order of the schedule (walk.h), and one stage's
//    rounds are its program.
//  - written out: the program of each stage as a list (order.h finds the order over all stages).
//
// A step may run its schedule several times, one after the other: gradients add up around the
// pipeline, as torchtitan and NeMo Automodel do where the batch of a step is more than
// local_batch_size of each replica. A stage goes on to the next run without waiting for the others;
// micro batches are numbered through. Two copies of the model have one run.
//
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

struct PipelineShape {
  std::int64_t stages = 1;         // p
  std::int64_t chunks = 1;         // v, of each stage
  std::int64_t micro_batches = 1;  // m, of all runs
  std::int64_t runs = 1;           // of the schedule, one after the other, each with m/runs

  bool operator==(const PipelineShape&) const = default;
};

constexpr std::int64_t virtual_stages(const PipelineShape& s) { return s.stages * s.chunks; }

// The shape of one of the runs.
constexpr PipelineShape one_run(const PipelineShape& s) {
  return {s.stages, s.chunks, s.micro_batches / s.runs, 1};
}

// Forward steps of one stage; as many backward.
constexpr std::int64_t steps_each_way(const PipelineShape& s) { return s.chunks * s.micro_batches; }

// The stage and chunk of each part of the model.
enum class ChunkLayout : std::uint8_t {
  looped,    // chunk c of stage i is part c·p + i (Megatron-LM)
  v_shaped,  // every second chunk runs back up: part (c + 1)·p − 1 − i
  two_way,  // two copies of the model in p parts, chunk 0 part i and chunk 1 part p − 1 − i; half
            // of the micro batches enter at each end (DualPipe)
};

constexpr EnumNames<ChunkLayout> names_of(ChunkLayout) { return {"looped", "v", "two copies"}; }

constexpr std::int64_t part_of(ChunkLayout layout, const PipelineShape& s, std::int64_t stage,
                               std::int64_t chunk) {
  const bool back = layout != ChunkLayout::looped && chunk % 2 == 1;
  const std::int64_t first = layout == ChunkLayout::two_way ? 0 : chunk * s.stages;
  return first + (back ? s.stages - 1 - stage : stage);
}

constexpr std::int64_t copies_of_model(ChunkLayout layout) {
  return layout == ChunkLayout::two_way ? 2 : 1;
}

// Parts of the model; a micro batch passes through all of them.
constexpr std::int64_t parts(ChunkLayout layout, const PipelineShape& s) {
  return virtual_stages(s) / copies_of_model(layout);
}

// Micro batches of a chunk: [first, end).
struct MicroBatchRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

constexpr MicroBatchRange micro_batches_of(ChunkLayout layout, const PipelineShape& s,
                                           std::int64_t chunk) {
  if (layout != ChunkLayout::two_way) return {0, s.micro_batches};
  const std::int64_t half = s.micro_batches / 2;
  return chunk == 0 ? MicroBatchRange{0, half} : MicroBatchRange{half, s.micro_batches};
}

// The stage that has a part for a micro batch, and as which of its chunks.
struct Seat {
  std::int64_t stage = 0;
  std::int64_t chunk = 0;

  bool operator==(const Seat&) const = default;
};

constexpr Seat seat_of(ChunkLayout layout, const PipelineShape& s, std::int64_t part,
                       std::int64_t micro_batch) {
  const std::int64_t last = s.stages - 1;
  if (layout == ChunkLayout::two_way) {
    const bool up = micro_batch >= s.micro_batches / 2;
    return {up ? last - part : part, up ? 1 : 0};
  }
  const std::int64_t chunk = part / s.stages;
  const std::int64_t at = part % s.stages;
  const bool back = layout == ChunkLayout::v_shaped && chunk % 2 == 1;
  return {back ? last - at : at, chunk};
}

enum class StepKind : std::uint8_t {
  forward,
  backward,         // input and weight gradient in one
  input_gradient,   // of the two, what the part before waits for
  weight_gradient,  // of the two, what nobody waits for
  pair,             // a forward beside the backward of another micro batch, overlapped (DualPipe)
};

struct Step {
  StepKind kind = StepKind::forward;
  std::int64_t chunk = 0;  // of a pair: of its forward
  std::int64_t micro_batch = 0;
  std::int64_t backward_chunk = 0;  // of a pair only
  std::int64_t backward_micro_batch = 0;

  bool operator==(const Step&) const = default;
};

constexpr bool has_forward(StepKind k) { return k == StepKind::forward || k == StepKind::pair; }

// The gradient of its input is done when the step is.
constexpr bool has_input_gradient(StepKind k) {
  return k == StepKind::backward || k == StepKind::input_gradient || k == StepKind::pair;
}
constexpr bool has_weight_gradient(StepKind k) {
  return k == StepKind::backward || k == StepKind::weight_gradient || k == StepKind::pair;
}

// Chunk and micro batch whose backward, or half of it, a step does.
constexpr std::int64_t backward_chunk(const Step& s) {
  return s.kind == StepKind::pair ? s.backward_chunk : s.chunk;
}
constexpr std::int64_t backward_micro_batch(const Step& s) {
  return s.kind == StepKind::pair ? s.backward_micro_batch : s.micro_batch;
}

// A result of another step: what part `part` sends on of micro batch `micro_batch`, down (forward)
// or up (the gradient of its input).
struct Result {
  bool forward = true;
  std::int64_t part = 0;
  std::int64_t micro_batch = 0;

  bool operator==(const Result&) const = default;
};

// Calls visit(Result) for what a step of a stage needs besides its stage being free: the forward of
// the part before, the gradient of the part after, and of backward its own forward.
template <class Visit>
void for_each_need(ChunkLayout layout, const PipelineShape& shape, std::int64_t stage,
                   const Step& step, Visit&& visit) {
  if (has_forward(step.kind)) {
    const std::int64_t j = part_of(layout, shape, stage, step.chunk);
    if (j > 0) visit(Result{true, j - 1, step.micro_batch});
  }
  const std::int64_t j = part_of(layout, shape, stage, backward_chunk(step));
  const std::int64_t micro_batch = backward_micro_batch(step);
  if (has_input_gradient(step.kind)) {
    visit(Result{true, j, micro_batch});
    if (j + 1 < parts(layout, shape)) visit(Result{false, j + 1, micro_batch});
  }
  if (step.kind == StepKind::weight_gradient) visit(Result{false, j, micro_batch});
}

// Calls visit(Result) for what a step brings about.
template <class Visit>
void for_each_result(ChunkLayout layout, const PipelineShape& shape, std::int64_t stage,
                     const Step& step, Visit&& visit) {
  if (has_forward(step.kind)) {
    visit(Result{true, part_of(layout, shape, stage, step.chunk), step.micro_batch});
  }
  if (has_input_gradient(step.kind)) {
    visit(Result{false, part_of(layout, shape, stage, backward_chunk(step)),
                 backward_micro_batch(step)});
  }
}

struct Rounds {
  std::int64_t first = 0;
  std::int64_t end = 0;  // one past the last
  std::int64_t forward_shift = 0;
  std::int64_t backward_shift = 0;
};

using Program = std::vector<Step>;      // of one stage
using Programs = std::vector<Program>;  // of all stages

// An order of the user's own.
struct OwnOrder {
  ChunkLayout layout = ChunkLayout::looped;
  PipelineShape shape;
  Programs programs;
};

// A written-out schedule whose optimizer step waits for no other stage.
template <ChunkLayout Layout>
struct ZeroBubble {
  static constexpr ChunkLayout kLayout = Layout;
  static constexpr bool kPairs = false;
  static constexpr bool kZeroBubble = true;
};

// Times of one part for one micro batch if all parts are equal. `pair` is a forward and the whole
// backward of another micro batch, overlapped.
template <class Time>
struct StepTimes {
  Time forward{};
  Time input_gradient{};
  Time weight_gradient{};
  Time pair{};
};

}  // namespace orrery
