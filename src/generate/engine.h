// SPDX-License-Identifier: Apache-2.0
//
// A serving engine that generates answers (vLLM, SGLang, TensorRT-LLM), as plain values: what its
// kernels reach, what it holds in memory, how it hands weights over.
//
// Models the share of the memory bandwidth that thin products and reads of the cache reach, the
// least time of a kernel in a CUDA graph and outside one, an all-reduce of its own for small
// messages within a node, and the host's work between two tokens. Leaves out: its scheduler's
// choices beyond first come, first served, and kernels that differ by model. Every number comes
// from configs/engines with its source. Units: SI. Errors: none here; engine_json.h refuses.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/quantity.h"

namespace orrery {

// Rates of kernels with one token a sequence.
struct EngineRates {
  double weights = 1;      // of memory bandwidth, reading the weights of a product of few rows
  double cache = 1;        // of memory bandwidth, reading keys and values
  double products = 1;     // of the rate of large products, by those of few rows
  Seconds kernel{};        // the least that one of a graph takes
  Seconds eager_kernel{};  // one that the host launches by itself
  Seconds exchange{};      // an all-reduce of its own, within a node, of no bytes
  Seconds token{};         // the host between two tokens: scheduling, sampling
  Seconds sequence{};      // of that, for each running sequence
  double prefill = 1;      // rate of a prompt's products over that of training's
};

struct EngineMemory {
  double share = 0.9;            // of the device, for weights and cache; and activations:
  bool share_holds_work = true;  // the share covers activations and workspaces too
  Bytes other{};                 // within the share, neither weights, cache nor activations
  Bytes graphs{};                // outside the share, where graphs are captured
  Bytes asleep{};                // left on the device when it sleeps
  bool frees_windows = false;    // layers of a sliding window keep no tokens that left it
};

struct EngineLimits {
  std::int64_t running = 256;          // sequences that run at once
  std::int64_t batched_tokens = 8192;  // of prompts, in one pass
  std::int64_t graph_batch = 512;      // the largest batch with a graph
};

// The rates of handing weights from the learner to the engines.
struct EngineHandover {
  BytesPerSecond broadcast{};  // one stream from the learner, whatever the number of GPUs
  BytesPerSecond p2p{};        // into one GPU of an engine, all of them at once
  BytesPerSecond colocated{};  // into one GPU of an engine, from the learner's shards around it
  double host = 1;             // of the host link, by the learner's states on their way and back
  Seconds start{};             // pause and resume of the engines
  Bytes bucket{};              // gathered at once
};

// Measured over predicted times of published steps: the tenth and the ninetieth percentile.
struct EngineSpread {
  double low = 1;  // of generation
  double high = 1;
  double handover_low = 1;  // of handing weights over, and of what yields the device
  double handover_high = 1;
};

struct EngineProfile {
  std::string name;
  EngineRates rates;
  EngineMemory memory;
  EngineLimits limits;
  EngineHandover handover;
  EngineSpread spread;
};

}  // namespace orrery
