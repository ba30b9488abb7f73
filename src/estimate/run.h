// SPDX-License-Identifier: Apache-2.0
//
// One resolved run, the input of the chain: every default taken, every name looked up.
// Errors: none.
#pragma once

#include <cstdint>
#include <memory>

#include "estimate/memory_risk.h"
#include "estimate/training.h"
#include "hardware/cluster.h"
#include "model/architecture.h"
#include "model/flops.h"
#include "parallel/compression.h"
#include "parallel/framework.h"
#include "parallel/schedules/table.h"
#include "parallel/strategy.h"

namespace orrery {

struct ListOptions;
struct RunShape;

struct Run {
  Architecture model;
  Cluster cluster;
  SiteLinks sites;
  Training training;
  Strategy strategy;
  Framework framework;
  Compression compression;
  FlopsConvention convention = FlopsConvention::megatron;
  MemoryRisk memory_risk;
  Flops model_flops{};  // of one step by that convention, all GPUs together (model/flops.h)
  std::shared_ptr<const OwnOrder> own_order;  // if the schedule is a file
};

// Bytes of a gathered weight on the wire, before qwZ.
inline double gathered_bytes(const Run& run) {
  return run.framework.gathers.element_bytes > 0 ? run.framework.gathers.element_bytes
                                                 : run.training.recipe.gathered;
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

// The run of the blocks whose states a range of layers shards otherwise (parallel/layer_rules.h).
Run resharded(const Run& run);

// Whether embedding and head are on stages of their own.
inline bool ends_apart(const Run& run) {
  return run.strategy.pp > 1 && schedule_of(run).layout() == ChunkLayout::looped;
}

// The facts of a run that the rules of a legal strategy need.
RunShape shape_of(const Run& run);

// True if no rule is broken, and the order of a file fits the pipeline.
bool is_legal(const Run& run);

}  // namespace orrery
