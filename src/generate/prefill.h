// SPDX-License-Identifier: Apache-2.0
//
// The time in which an engine reads prompts, and a trainer's forward pass its answers: the same
// operators with all tokens at once, by the roofline of training (cost/operator_time.h).
//
// Prompts share passes of up to `batched_tokens`; the head sees the last token of each. The
// engine's `prefill` is its rate over training's. Leaves out: prompts of unlike lengths, chunks of
// one prompt that attend to earlier ones, prompts read beside running answers (the batcher adds
// their times). Errors: none.
#pragma once

#include <cstdint>

#include "generate/generator.h"

namespace orrery {

// `prompts` of `length` tokens each, of the whole engine.
Seconds prefill_time(const Generator& g, std::int64_t prompts, std::int64_t length);

}  // namespace orrery
