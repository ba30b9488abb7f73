// SPDX-License-Identifier: Apache-2.0
//
// Memory for serving the trained model: weights by precision, keys and values by batch and context.
//
// A token keeps two vectors a layer of kv_heads × head size, or, with latent attention, one of the
// compressed rank and one of the rotary part (DeepSeek-V2, arXiv:2405.04434). A sliding window
// would need less; it counts as full attention here. A paged cache wastes half a block a sequence
// on average (vLLM, arXiv:2309.06180). Leaves out activations, the engine's own memory, and
// quantization's scales.
#pragma once

#include <cstdint>

#include "model/architecture.h"
#include "orrery/quantity.h"

namespace orrery {

inline constexpr std::int64_t kCacheBlock = 16;  // tokens; vLLM's default (arXiv:2309.06180)

struct InferenceNeeds {
  Bytes weights{};        // of 2 bytes a parameter, without multi-token prediction
  Bytes cache_a_token{};  // of 2 bytes an element
  Bytes cache{};          // of the batch at its context, in whole blocks
  Bytes waste{};          // empty parts of the cache's blocks: half a block a sequence
  std::int64_t batch = 0;
  std::int64_t context = 0;
};

InferenceNeeds inference_needs(const Architecture& a, std::int64_t batch, std::int64_t context);

}  // namespace orrery
