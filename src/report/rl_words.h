// SPDX-License-Identifier: Apache-2.0
//
// Words about a step of reinforcement learning that several answers share. Errors: none.
#pragma once

#include <string>

#include "rl/step.h"

namespace orrery {

// "async: 8 GPUs generate, 8 learn, staleness 1".
std::string placement_words(const RlRun& rl);

// "tp 2 dp 4 ep 8".
std::string layout_words(const EngineLayout& l);

// "16 engines of vllm, tp 2, weights in bf16".
std::string generator_words(const RlRun& rl);

// "tp 4 pp 2 dp 4, batch 1, recompute full".
std::string learner_words(const Strategy& s);

}  // namespace orrery
