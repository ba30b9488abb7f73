// SPDX-License-Identifier: Apache-2.0
//
// Intermediate results of the chain: prices of blocks, costs of virtual stages, and scratch memory,
// so that repeated estimates do not allocate. Used by one thread at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/answer.h"
#include "estimate/data_parallel.h"
#include "estimate/forward.h"
#include "estimate/pipeline.h"
#include "estimate/price.h"
#include "estimate/stage.h"
#include "memory/activations.h"
#include "memory/stage_activations.h"
#include "memory/stage_memory.h"

namespace orrery {

// A virtual stage's costs and activations; stages with the same blocks share one.
template <Number R>
struct StageClass {
  BlockCounts blocks{};
  RecomputedBlocks again{};  // those of them whose forward runs again
  StageCosts<R> costs;
  ChunkActivations<R> activations;
  StageParameters parameters;
  bool runs_backward = false;  // any of its blocks
};

// Inputs of a stage's memory that do not depend on how states are sharded or offloaded.
template <Number R>
struct StageContents {
  bool known = false;
  StageHoldings holdings;
  StageActivations<R> activations;
  BytesOf<R> cached_of_loss{};  // where the framework has it, as the next
  BytesOf<R> held_ahead{};
  BytesOf<R> embedding_gradient{};
};

// When each stage is done with its micro batches, if that was asked for: with its sends, and with
// free ones. One entry where stages go on to the next step without waiting for each other.
struct SweptTimes {
  std::vector<Seconds> sent;
  std::vector<Seconds> free;
};

template <Number R>
struct WorkspaceOf {
  std::vector<StageClass<R>> classes;
  std::vector<std::uint16_t> class_of;  // by part of the model
  std::vector<SecondsOf<R>> forward;    // by part
  std::vector<SecondsOf<R>> backward;
  std::vector<SecondsOf<R>> input_gradient;  // by part, of a written-out schedule, as the next two
  std::vector<SecondsOf<R>> weight_gradient;
  std::vector<SecondsOf<R>> pair;          // forward of the part beside the backward of its partner
  std::vector<SecondsOf<R>> hidden;        // gain of a pair over its two passes alone
  std::vector<SecondsOf<R>> sends;         // from each stage to the next
  std::vector<SecondsOf<R>> send_forward;  // by boundary
  std::vector<SecondsOf<R>> send_backward;
  SweptTimes swept;
  PipelineWorkspace pipeline;
  PriceScratch scratch;  // `exchanges` belongs to `messages`
  Prices<R> prices;
  std::vector<std::int64_t> distinct;  // stages that hold other blocks than the one before
  // By stage, with activations on the device or elsewhere, if they were asked for.
  std::array<std::vector<StageContents<R>>, 2> contents;
  std::vector<ChunkActivations<R>> chunks;  // of the current stage
  EndTraffics end_traffics;
  MessageLog* messages = nullptr;  // if not null, messages are noted (estimate/messages.h)
};

using Workspace = WorkspaceOf<double>;

template <Number R>
AnswerOf<R> estimate(const Run& run, WorkspaceOf<R>& workspace);

}  // namespace orrery
