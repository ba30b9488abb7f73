// SPDX-License-Identifier: Apache-2.0
//
// The memory of one GPU of an engine, and the cache that is left in it.
//
//   pool = share·M − weights − other − activations of the largest pass
//
// as vLLM prints it at its start (vllm-project/vllm#11743: 71.39 GiB = 9.69 weights + 1.27 other +
// 2.95 activations + 57.48 cache); SGLang's share holds weights and cache alone. Captured graphs
// stand outside the share (volcengine/verl docs/perf/best_practices.rst @b178a3cd). Activations
// are estimated: input and output of the widest product and two residual streams of
// `batched_tokens`, and logits of all running sequences in 16 and 32 bits. States of recurrent
// layers come out of the same cache: as many sequences run as find their state and the tokens of a
// mean answer there, beside the longest one's. Leaves out: fragmentation of pages, cache on the
// host. Units: bytes, tokens. Errors: none; a pool below zero is an answer.
#pragma once

#include "generate/generator.h"

namespace orrery {

struct EnginePool {
  Bytes weights{};
  Bytes work{};  // activations of the largest pass
  Bytes other{};
  Bytes graphs{};            // outside the share
  Bytes cache{};             // the pool; below zero: the share does not even hold the weights
  Bytes all{};               // of the device, awake
  double tokens = 0;         // that the caches of one engine hold in all layers
  std::int64_t running = 0;  // sequences of one engine at once
};

// Tokens of a sequence with its prompt.
struct SequenceSpan {
  double mean = 0;
  double longest = 0;
};

// With up to `running` sequences.
EnginePool pool_of(const Generator& g, double share, std::int64_t running,
                   const SequenceSpan& span);

}  // namespace orrery
