// SPDX-License-Identifier: Apache-2.0
//
// One resolved run, the input of the chain: every default taken, every name looked up.
// Errors: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/precision.h"
#include "hardware/cluster.h"
#include "memory/optimizer.h"
#include "memory/recipe.h"
#include "model/adapter.h"
#include "model/architecture.h"
#include "model/documents.h"
#include "model/flops.h"
#include "parallel/compression.h"
#include "parallel/framework.h"
#include "parallel/schedules/table.h"
#include "parallel/strategy.h"

namespace orrery {

struct ListOptions;
struct RunShape;

struct Training {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;  // sequences
  std::int64_t tokens = 0;        // of the whole training; 0: not given
  Precision precision = Precision::bf16;
  StateRecipe recipe;
  Optimizer optimizer = Optimizer::adam;
  std::int64_t optimizer_rank = 128;  // GaLore's
  bool fused_attention = true;
  // Nothing: the first of the framework's that the device has.
  std::optional<AttentionKernel> attention_kernel;
  std::optional<Adapter> adapter;  // nothing: all weights train
  double expert_load = 1;          // of the fullest rank, over the mean
  SequenceLengths lengths;         // of packed documents; none: sequences are whole
  std::int64_t images = 0;         // of a sequence
  std::int64_t image_tokens = 0;   // of an image in the sequence
};

// The error of predicted memory, and how much of a device a choice of Orrery's own may need so that
// it fits with the probability that was asked for (estimate/risk.h). By default nothing is known.
struct MemoryRisk {
  double spread = 0;  // of ln(measured/predicted) peak, one standard deviation
  double share = 1;   // of the device's memory
};

struct Run {
  Architecture model;
  Cluster cluster;
  Training training;
  Strategy strategy;
  Framework framework;
  Compression compression;
  FlopsConvention convention = FlopsConvention::megatron;
  MemoryRisk memory_risk;
  Flops model_flops{};  // of one step by that convention, all GPUs together (model/flops.h)
  std::shared_ptr<const OwnOrder> own_order;  // if the schedule is a file
};

// The part of a step that model_flops() counts, of so many sequences. The adapter stays the
// training's own.
inline CountedStep counted(const Training& t, std::int64_t sequences) {
  return {t.sequence, sequences, t.adapter ? &*t.adapter : nullptr, t.lengths};
}
// Bytes of a gathered weight on the wire, before qwZ.
inline double gathered_bytes(const Run& run) {
  return run.framework.gathers.element_bytes > 0 ? run.framework.gathers.element_bytes : run.training.recipe.gathered;
}

// The most that a rank of experts can get over the mean: all tokens of its group, each as often as
// it has experts for it.
double most_expert_load(const Architecture& model, std::int64_t ep);

// The model's operators with this run's framework and precision.
ListOptions list_options(const Run& run);

inline ScheduleRef schedule_of(const Run& run) {
  return {run.strategy.schedule, run.own_order.get()};
}

PipelineShape pipeline_shape(const Strategy& s);
PipelineShape pipeline_shape(const Run& run);

// Calls visit(part of the model) for the chunks of one stage.
template <class Visit>
void for_each_chunk(const Run& run, std::int64_t stage, Visit&& visit) {
  const PipelineShape shape = pipeline_shape(run);
  const ChunkLayout layout = schedule_of(run).layout();
  for (std::int64_t c = 0; c < shape.chunks; ++c) {
    visit(part_of(layout, shape, stage, c));
  }
}

// Whether embedding and head are on stages of their own.
inline bool ends_apart(const Run& run) {
  return run.strategy.pp > 1 && schedule_of(run).layout() == ChunkLayout::looped;
}

// The facts of a run that the rules of a legal strategy need.
RunShape shape_of(const Run& run);

// True if no rule is broken, and the order of a file fits the pipeline.
bool is_legal(const Run& run);

}  // namespace orrery
