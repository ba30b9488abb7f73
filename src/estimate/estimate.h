// SPDX-License-Identifier: Apache-2.0
//
// The closed form: a resolved run in, an answer out.
//
// price (one block) → stage (blocks on a virtual stage) → finish (the strategy's answer): the sweep
// of the schedule's graph gives the time of the micro batches, then follow what data parallelism
// leaves exposed, the optimizer and fixed costs. Memory is that of the stage with the highest peak.
// Leaves out what only a simulator sees: contention between unlike traffic, stragglers, jitter.
//
// The run must be legal (parallel/rules.h) and its schedule built. Nothing here throws; a Workspace
// is used by one thread at a time and makes repeated estimates free of allocation.
#pragma once

#include <optional>
#include <vector>

#include "estimate/answer.h"
#include "estimate/messages.h"
#include "estimate/pipeline.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "estimate/stage.h"

namespace orrery {

// A virtual stage's costs and activations; stages with the same blocks share one.
template <Number R>
struct StageClass {
  BlockCounts blocks{};
  BlockCounts replayed{};  // of them, those full recompute runs again
  StageCosts<R> costs;
  ChunkActivations<R> activations;
  ParametersHeld parameters;
};

// What its memory follows from, whatever shards or offloads it.
template <Number R>
struct StageContents {
  StageHoldings holdings;
  StageActivations<R> activations;
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
  std::vector<SecondsOf<R>> hidden;        // what a pair saves over the two alone
  std::vector<SecondsOf<R>> sends;         // from each stage to the next
  std::vector<SecondsOf<R>> send_forward;  // by boundary
  std::vector<SecondsOf<R>> send_backward;
  PipelineWorkspace pipeline;
  PriceScratch scratch;  // `exchanges` belongs to `messages`
  Prices<R> prices;
  std::vector<std::optional<StageContents<R>>> contents;  // by stage, where they were asked for
  std::vector<ChunkActivations<R>> chunks;                // of the stage at hand
  MessageLog* messages = nullptr;  // noted where it is not null (estimate/messages.h)
};

using Workspace = WorkspaceOf<double>;

template <Number R>
AnswerOf<R> estimate(const Run& run, WorkspaceOf<R>& workspace);

Answer estimate(const Run& run);

// The memory of every stage; `estimate` reports the highest.
std::vector<StageMemory<double>> memory_by_stage(const Run& run);

// Seconds each stage computes and talks in one step, without what it waits.
std::vector<Seconds> busy_by_stage(const Run& run);

}  // namespace orrery
