// SPDX-License-Identifier: Apache-2.0
//
// A model that generates on one engine: how it is split, in which formats, and what a sequence
// holds while it runs.
//
// An engine is tp·pp·dp GPUs: dp replicas of attention, each split over tp, share the experts of
// its layers; ep is 1 (experts split like a dense layer) or tp·dp (whole experts apart). A batch of
// B sequences makes one token each pass; over pp stages B/pp of them are at work in each.
// Leaves out: context parallelism, unlike dp ranks, experts that are held more than once.
// Units: counts, bytes. Errors: none; estimate/rl_resolve.h refuses layouts that are none.
#pragma once

#include <cstdint>

#include "core/precision.h"
#include "generate/engine.h"
#include "hardware/cluster.h"
#include "model/architecture.h"
#include "parallel/shard.h"

namespace orrery {

struct CacheWindow;  // generate/batcher.h

struct EngineLayout {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t ep = 1;
  std::int64_t dp = 1;
};

constexpr std::int64_t gpus_of(const EngineLayout& l) { return l.tp * l.pp * l.dp; }

struct Generator {
  Architecture model;
  Cluster cluster;
  EngineProfile engine;
  EngineLayout layout;
  Precision weights = Precision::bf16;  // of linear layers
  Precision cache = Precision::bf16;    // of keys and values
  bool graphs = true;
  double tokens_a_pass = 1;  // of a sequence: more with drafts that are accepted
  std::int64_t drafted = 0;  // tokens that a pass checks besides its own
};

// The degrees by which the operator list is divided.
Degrees degrees_of(const EngineLayout& layout);

// Weights of the model on the GPU that holds most: 16 bits outside linear layers.
Bytes weights_of_gpu(const Generator& g);

// All weights once, as the learner hands them over.
Bytes weights_of_model(const Generator& g);

// Keys and values that one more token of a sequence leaves in one layer kind on one GPU.
Bytes cache_of_layer(const Generator& g, std::size_t layer_type);

// The same of all layers of the model, on one GPU of the fullest stage.
Bytes cache_of_token(const Generator& g);

// The layers with a window, where the engine frees what left it.
CacheWindow window_of(const Generator& g);

// States that recurrent layers hold of a sequence, whatever its length, on one GPU of the fullest
// stage.
Bytes state_of_sequence(const Generator& g);

// Tokens of `context` that a layer of this kind reads for the next one.
double tokens_read(const Architecture& a, std::size_t layer_type, double context);

}  // namespace orrery
