// SPDX-License-Identifier: Apache-2.0
//
// One run, resolved: every default taken, every name looked up. What the chain works on.
#pragma once

#include <cstdint>

#include "core/precision.h"
#include "hardware/cluster.h"
#include "memory/recipe.h"
#include "model/flops.h"
#include "parallel/compression.h"
#include "parallel/framework.h"
#include "parallel/placement.h"
#include "parallel/rules.h"
#include "parallel/schedules/schedule.h"
#include "parallel/strategy.h"

namespace orrery {

struct Training {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;  // sequences
  std::int64_t tokens = 0;        // of the whole run; 0: not said
  Precision precision = Precision::bf16;
  StateRecipe recipe;
  bool fused_attention = true;
};

struct Run {
  Architecture model;
  Cluster cluster;
  Training training;
  Strategy strategy;
  Framework framework;
  Compression compression;
  FlopsConvention convention = FlopsConvention::megatron;
  Flops model_flops{};  // of one step by that convention, all GPUs together (model/flops.h)
};

// Bytes of a gathered weight on the wire, before qwZ.
inline double gathered_bytes(const Run& run) {
  return run.framework.gather_bytes > 0 ? run.framework.gather_bytes : run.training.recipe.gathered;
}

// The model's operators as this run's framework and precision have them.
ListOptions list_options(const Run& run);

PipelineShape pipeline_shape(const Strategy& s);

// What the rules of a legal strategy need to know of a run.
RunShape shape_of(const Run& run);

}  // namespace orrery
