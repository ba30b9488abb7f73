// SPDX-License-Identifier: Apache-2.0
//
// The words every pipeline schedule is told in.
//
// p stages hold v chunks of the model each; m micro batches pass through all p·v chunks. Chunk c of
// stage i is virtual stage c·p + i. A stage has m·v forward and m·v backward steps and does them in
// a fixed order: that order is the schedule. A backward step is input and weight gradient together.
//
// A schedule is told in rounds. In round r stage i takes the next step of its forward sequence, if
// one is due, and then the next of its backward sequence. Its position in the forward sequence is
// r + forward_shift − i, in the backward sequence r + backward_shift + i·backward_slope; a position
// outside 0 … m·v − 1 means that no step is due. Whatever a step waits for happened in an earlier
// round or, in the same round, on the same stage or a later one. So rounds in order, the stages of
// each from last to first, are a topological order of the schedule (walk.h), and one stage's rounds
// are its program.
#pragma once

#include <cstdint>

namespace orrery {

struct PipelineShape {
  std::int64_t stages = 1;         // p
  std::int64_t chunks = 1;         // v, of each stage
  std::int64_t micro_batches = 1;  // m

  bool operator==(const PipelineShape&) const = default;
};

constexpr std::int64_t virtual_stages(const PipelineShape& s) { return s.stages * s.chunks; }

// Forward steps of one stage; as many backward.
constexpr std::int64_t steps_each_way(const PipelineShape& s) { return s.chunks * s.micro_batches; }

enum class StepKind : std::uint8_t { forward, backward };

struct Step {
  StepKind kind = StepKind::forward;
  std::int64_t chunk = 0;
  std::int64_t micro_batch = 0;

  bool operator==(const Step&) const = default;
};

struct Rounds {
  std::int64_t first = 0;
  std::int64_t end = 0;  // one past the last
  std::int64_t forward_shift = 0;
  std::int64_t backward_shift = 0;
};

}  // namespace orrery
