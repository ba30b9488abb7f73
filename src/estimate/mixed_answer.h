// SPDX-License-Identifier: Apache-2.0
//
// The answer to a run on several kinds of node: that of an estimate, and every stage on every kind
// that holds it. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/answer.h"

namespace orrery {

// A stage on one of its kinds.
struct StageSeat {
  std::int64_t stage = 0;
  std::size_t kind = 0;
  std::int64_t ranks = 0;
  Seconds forward{};  // of one micro batch through all chunks of the stage
  Seconds backward{};
  Seconds busy{};  // in a step, of the class with most micro batches
  Seconds end{};   // gradients, update, weights
  Bytes peak{};
  Bytes needed{};
  Bytes capacity{};
  EnumArray<MemoryLine, Bytes> lines{};
  std::int64_t in_flight = 0;
};

struct ReplicaTime {
  Seconds pipeline{};
  std::int64_t busy_stage = 0;
};

template <Number R>
struct MixedAnswerOf {
  AnswerOf<R> answer;           // of all; model_flops and peak_rate are means of a GPU
  std::size_t slowest = 0;      // class of replicas
  std::size_t busy_kind = 0;    // of answer.busy_stage in that class
  std::size_t memory_kind = 0;  // of answer.memory_stage
  std::size_t end_kind = 0;     // of answer.end_stage
  std::vector<StageSeat> seats;
  std::vector<ReplicaTime> replicas;  // by class
};
using MixedAnswer = MixedAnswerOf<double>;

}  // namespace orrery
